// All tables at a glance: what holds of each, and whether they can still be joined.
import { html } from "../../html.js";
import { number, percent, t } from "../../words.js";
import { Notice } from "../notice.js";
import { PlainTable } from "../table.js";

export function Together({ evidence }) {
  const columns = ["table", "holds", "rows", "smallest", "single", "loss"].map((name) => ({ name, label: t(`together.${name}`), class: ["table", "holds"].includes(name) ? "" : "number" }));
  const rows = Object.entries(evidence.tables).map(([name, part]) => [name, held(part.privacy ?? []), `${number(part.rows?.released)} / ${number(part.rows?.read)}`, number(part.classes?.after?.smallest), number(part.risk?.singled_out_after), typeof part.utility?.loss === "number" ? percent(part.utility.loss) : "–"]);
  return html`<section class="panel" aria-labelledby="judge-together">
    <h2 id="judge-together">${t("together.title")}</h2>
    <${PlainTable} label=${t("together.title")} columns=${columns} rows=${rows} />
    ${evidence.repeated?.length > 0 && html`<${Joins} repeated=${evidence.repeated} />`}
    ${evidence.warnings?.length > 0 && html`<${Notice} kind="warning"><ul>${evidence.warnings.map((one) => html`<li>${one}</li>`)}</ul><//>`}
  </section>`;
}

function held(privacy) {
  if (!privacy.length) return html`<span class="badge">${t("together.light")}</span>`;
  const good = privacy.every((verdict) => verdict.holds);
  return html`<span class=${`badge ${good ? "good" : "bad"}`}>${t(good ? "together.yes" : "together.no")}</span>`;
}

/** How many values and records match in both tables, counted before and after. */
function Joins({ repeated }) {
  const columns = ["attribute", "tables", "mapping", "values", "matching"].map((name) => ({ name, label: t(`together.${name}`), class: ["values", "matching"].includes(name) ? "number" : "" }));
  const change = (pair) => (pair ? `${number(pair.before)} → ${number(pair.after)}` : "–");
  const rows = repeated.flatMap((one) => {
    const joins = one.joins?.length ? one.joins : [null];
    return joins.map((join) => [one.name, Object.entries(one.columns).map(([table, column]) => `${table}: ${column}`).join(", "), t(`together.mapping.${one.mapping}`), change(join?.matching_values), change(join?.matching_rows)]);
  });
  return html`<h3>${t("together.joins")}</h3><p class="note">${t("together.joins.note")}</p><${PlainTable} label=${t("together.joins")} columns=${columns} rows=${rows} />`;
}
