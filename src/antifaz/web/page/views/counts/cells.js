// The cells of a table: the labels of the shortest dimension side by side where they are few, all others below one another.
import { html, useState } from "../../html.js";
import { number, t, tn } from "../../words.js";
import { Button } from "../../components/button.js";

const ACROSS = 12; // labels side by side
const ROWS = 100; // rows at a time

const TOTAL = "*";
const named = (label) => (label === TOTAL ? t("counts.total") : label === null ? t("app.missing") : label);

export function CellTable({ cells, label }) {
  const [most, setMost] = useState(ROWS);
  const { columns, cells: all, total } = cells;
  const labels = columns.map((_, at) => [...new Set(all.map((cell) => cell.labels[at]))]);
  const side = labels.reduce((best, own, at) => (own.length <= labels[best].length ? at : best), 0);
  const last = labels[side];
  const across = columns.length > 1 && last.length <= ACROSS;
  const below = (own) => (across ? own.filter((_, at) => at !== side) : own);
  const heads = below(columns);
  const rows = new Map();
  for (const cell of all) {
    const key = JSON.stringify(below(cell.labels));
    if (!rows.has(key)) rows.set(key, { labels: below(cell.labels), cells: new Map() });
    rows.get(key).cells.set(across ? cell.labels[side] : null, cell);
  }
  const shown = [...rows.values()].slice(0, most);
  const places = across ? last : [null];
  return html`<div class="table-box plain" tabindex="0" role="region" aria-label=${label}>
      <table class="plain cells">
        <thead>
          <tr>${heads.map((name) => html`<th scope="col" rowspan=${across ? 2 : 1} key=${name}>${name}</th>`)}${across ? html`<th scope="colgroup" class="number" colspan=${last.length}>${columns[side]}: ${valueName(cells)}</th>` : html`<th scope="col" class="number">${valueName(cells)}</th>`}</tr>
          ${across && html`<tr>${last.map((place) => html`<th scope="col" class="number" key=${place}>${named(place)}</th>`)}</tr>`}
        </thead>
        <tbody>${shown.map(
          (row) => html`<tr key=${JSON.stringify(row.labels)} class=${row.labels.includes(TOTAL) ? "total" : ""}>
          ${row.labels.map((own, at) => html`<th scope="row" key=${at}>${named(own)}</th>`)}
          ${places.map((place) => html`<${Cell} key=${place} cell=${row.cells.get(place)} />`)}
        </tr>`,
        )}</tbody>
      </table>
    </div>
    ${rows.size > most && html`<div class="buttons"><${Button} onClick=${() => setMost(most + ROWS)}>${t("roles.more", { count: rows.size - most })}<//></div>`}
    ${total > all.length && html`<p class="note">${tn("counts.first", all.length, { total })}</p>`}`;
}

const valueName = (cells) => (cells.value === "count" ? t("counts.count") : cells.value);

/** What a cell says; of a hidden one, between which values anybody can compute it to lie. */
function Cell({ cell }) {
  if (!cell) return html`<td class="number left-out"><span class="note">${t("counts.cell.left")}</span></td>`;
  if (cell.shown) return html`<td class="number">${number(cell.value)}</td>`;
  const [low, high] = cell.interval ?? [null, null];
  return html`<td class="number hidden-cell"><span class="badge warning">${t("counts.cell.hidden")}</span>
    ${cell.interval && html`<span class="th-note">${high === null ? t("counts.from", { low }) : t("counts.between", { low, high })}</span>`}</td>`;
}
