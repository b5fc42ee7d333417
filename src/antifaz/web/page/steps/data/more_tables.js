// One more table for a project, by any of the ways to data.
import { api } from "../../api.js";
import { html, useContext, useState } from "../../html.js";
import { t } from "../../words.js";
import { Button } from "../../components/button.js";
import { announce } from "../../components/notice.js";
import { Tables } from "../../components/steps.js";
import { Choose } from "./choose.js";

export function AddTable({ meta }) {
  const { several, whole, take, to } = useContext(Tables);
  const [choosing, setChoosing] = useState(false);
  const add = async (dataset) => {
    const before = new Set(Object.keys(whole.document?.tables ?? {}));
    const found = await api.post(`/projects/${whole.id}/tables`, { dataset: dataset.id });
    await take(found);
    setChoosing(false);
    announce(t("tables.added"));
    to(Object.keys(found.document.tables).filter((name) => !before.has(name)).pop());
  };
  return html`<section class="panel" aria-labelledby="more-tables">
    <div class="panel-head"><div><h2 id="more-tables">${t(several ? "tables.more" : "tables.second")}</h2><p class="note">${t("tables.more.text")}</p></div>
      ${!choosing && html`<${Button} icon="add" onClick=${() => setChoosing(true)}>${t("tables.add")}<//>`}</div>
    ${choosing && html`<${Choose} meta=${meta} source=${several ? whole.document.source : undefined} onChosen=${add} onCancel=${() => setChoosing(false)} keep=${t("app.cancel")} />`}
  </section>`;
}
