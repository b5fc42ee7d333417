// A hierarchy at a glance: a few values with what they become at each level.
import { api } from "../../api.js";
import { html, useEffect, useState } from "../../html.js";
import { t, tn } from "../../words.js";
import { ErrorNotice, Loading, Notice } from "../../components/notice.js";

const SHOWN = 6;

export function LevelsOf({ dataset, column, hierarchy }) {
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const key = JSON.stringify(hierarchy);
  useEffect(() => {
    const stop = new AbortController();
    setError(null);
    api
      .post("/hierarchies/preview", { dataset: dataset.id, column, hierarchy }, { signal: stop.signal })
      .then(setFound, (problem) => problem.name !== "AbortError" && setError(problem));
    return () => stop.abort();
  }, [dataset.id, column, key]);
  if (error) return html`<${ErrorNotice} error=${error} />`;
  if (!found) return html`<${Loading} />`;
  const table = found.table ?? [];
  const levels = Math.max(0, ...table.map((row) => row.length));
  return html`
    ${(found.problems ?? []).length > 0 && html`<${Notice} kind="warning"><ul class="bare">${found.problems.map((problem) => html`<li>${problem.message ?? problem}</li>`)}</ul><//>`}
    <div class="table-box plain" tabindex="0" role="region" aria-label=${t("hierarchies.levels.of", { column })}>
      <table class="plain levels">
        <thead><tr>${Array.from({ length: levels }, (_, level) => html`<th scope="col">${level === 0 ? t("hierarchies.value") : t("hierarchies.level", { level })}</th>`)}</tr></thead>
        <tbody>${spread(table).map((row, at) => html`<tr key=${at}>${row.map((label, level) => (level === 0 ? html`<th scope="row">${label ?? t("app.missing")}</th>` : html`<td><span class="arrow" aria-hidden="true">→</span> ${label ?? t("app.missing")}</td>`))}</tr>`)}</tbody>
      </table>
    </div>
    <p
      class="note">${tn("hierarchies.values", found.total ?? table.length)} · ${tn("hierarchies.levels", Math.max(0, levels - 1))}</p>`;
}

// Some rows from all over the table, so that the groups show.
function spread(table) {
  if (table.length <= SHOWN) return table;
  return Array.from({ length: SHOWN }, (_, at) => table[Math.round((at * (table.length - 1)) / (SHOWN - 1))]);
}
