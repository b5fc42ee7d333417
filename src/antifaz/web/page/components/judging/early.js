// What a run has verified, while attacks are still being tried: shown at once, and nothing of it can be taken away yet.
import { html } from "../../html.js";
import { useFetched } from "../../runs.js";
import { t } from "../../words.js";
import { Loading, Notice } from "../notice.js";
import { PlainTable } from "../table.js";
import { Loss } from "./loss.js";
import { Risk } from "./risk.js";
import { Verdict } from "./verdict.js";

export function Early({ run, meta }) {
  const { value, problem } = useFetched(`/runs/${run.id}/verified`);
  // A problem here is that the run is over: what it released follows.
  return html`<${Notice} kind="info" title=${t("early.title")}><p>${t("early.text")}</p><//>
    ${!value && !problem && html`<${Loading} />`}
    ${value && html`<${Verdict} evidence=${value.evidence} meta=${meta} table="" />
      <${FirstRows} rows=${value.first_rows} />
      <${Risk} evidence=${value.evidence} />
      <${Loss} evidence=${value.evidence} />`}`;
}

function FirstRows({ rows }) {
  if (!rows?.rows.length) return null;
  return html`<section class="panel"><h2>${t("early.rows")}</h2>
    <${PlainTable} label=${t("early.rows")} columns=${rows.columns.map((name) => ({ name }))} rows=${rows.rows} /></section>`;
}
