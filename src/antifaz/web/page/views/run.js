// /runs/RUN: finds the project of a run and goes to where it is shown.
import { api } from "../api.js";
import { html, useEffect, useState } from "../html.js";
import { navigate } from "../router.js";
import { placeOf } from "../runs.js";
import { ErrorNotice, Loading } from "../components/notice.js";

export function RunView({ id }) {
  const [error, setError] = useState(null);
  useEffect(() => {
    api.get(`/runs/${id}`).then((run) => navigate(placeOf(run), { replace: true }), setError);
  }, [id]);
  return error ? html`<div class="page narrow"><${ErrorNotice} error=${error} /></div>` : html`<${Loading} />`;
}
