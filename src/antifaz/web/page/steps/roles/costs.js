// What each quasi-identifier costs the others: how much of their detail they lose with it, and without it.
import { api } from "../../api.js";
import { html, useState } from "../../html.js";
import { percent, t } from "../../words.js";
import { Button } from "../../components/button.js";
import { ErrorNotice } from "../../components/notice.js";
import { PlainTable } from "../../components/table.js";

const K = 5;

export function Costs({ dataset, quasi }) {
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const columns = new URLSearchParams([...quasi.map((name) => ["columns", name]), ["k", K]]);
  const look = () => {
    setBusy(true);
    setError(null);
    api
      .get(`/datasets/${dataset.id}/proposals/columns?${columns}`)
      .then((answer) => setFound({ for: String(columns), ...answer }), setError)
      .finally(() => setBusy(false));
  };
  return html`<div>
    <${ErrorNotice} error=${error} />
    ${
      found?.for === String(columns)
        ? html`<p>${t("roles.costs.text", { k: K })}</p>
        <${PlainTable} label=${t("roles.costs")} columns=${[
          { name: "column", label: t("roles.costs.column") },
          { name: "others", label: t("roles.costs.now"), class: "number" },
          { name: "coarsened", label: t("roles.costs.coarsened"), class: "number" },
          { name: "without", label: t("roles.costs.without"), class: "number" },
          { name: "proposal", label: t("roles.costs.value") },
        ]}
          rows=${found.columns.map((one) => ({ column: one.column, others: percent(one.others), coarsened: one.coarsened === null ? "–" : percent(one.coarsened), without: percent(one.without), proposal: t(`roles.costs.${one.proposal}`) }))} />`
        : html`<div class="buttons"><${Button} onClick=${look} busy=${busy}>${t("roles.costs")}<//></div>`
    }
  </div>`;
}
