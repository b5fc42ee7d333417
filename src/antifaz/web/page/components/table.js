// Tables: one that holds any number of rows and fetches those in sight, and a plain one.
import { html, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "../html.js";
import { number, t } from "../words.js";
import { ErrorNotice } from "./notice.js";

const WINDOW = 100; // rows fetched at a time
const LINE = 34; // height of a row, as in style.css
const TALLEST = 8_000_000; // browsers draw nothing taller than some ten million pixels

// fetch(start, count, sort, descending) → {start, total, columns, rows}; columns: [{name, label?, note?, class?}] or names.
// `version`: when it changes, what was fetched is forgotten. `height` in rows.
export function DataTable({
  fetch,
  total: told,
  columns,
  label,
  version = "",
  height = 12,
  sortable = false,
  rowClass,
  cell,
}) {
  const box = useRef(null);
  const [top, setTop] = useState(0);
  const [sort, setSort] = useState({ column: null, descending: false });
  const [error, setError] = useState(null);
  const [head, setHead] = useState(LINE);
  const [, refresh] = useReducer((count) => count + 1, 0);
  const held = useMemo(
    () => ({ windows: new Map(), total: null, columns: null }),
    [version, sort.column, sort.descending],
  );
  const heads = (columns ?? held.columns ?? []).map((column) =>
    typeof column === "string" ? { name: column } : column,
  );
  const total = held.total ?? told ?? 0;
  const sight = Math.min(height, Math.max(total, 1));
  const whole = Math.min(total * LINE, TALLEST);
  const scaled = total * LINE > TALLEST;
  const reach = Math.max(1, whole - sight * LINE);
  const first = scaled ? Math.round((Math.min(top, reach) / reach) * (total - sight)) : Math.floor(top / LINE);
  const from = Math.max(0, scaled ? first : first - 4);
  const to = Math.min(total, first + sight + 5);
  const above = scaled ? Math.min(top, Math.max(0, whole - (to - from) * LINE)) : from * LINE;
  const below = Math.max(0, whole - above - (to - from) * LINE);

  const ask = (index) => {
    if (held.windows.has(index)) return;
    held.windows.set(index, null);
    fetch(index * WINDOW, WINDOW, sort.column, sort.descending).then(
      (found) => {
        held.windows.set(index, found.rows);
        held.total = found.total;
        held.columns ??= found.columns;
        setError(null);
        refresh();
      },
      (problem) => {
        held.windows.delete(index);
        if (problem.name !== "AbortError") setError(problem);
      },
    );
  };
  useEffect(() => {
    // Wait until scrolling rests, so that a long drag does not ask for everything it passes.
    const timer = setTimeout(
      () => {
        for (let index = Math.floor(from / WINDOW); index <= Math.floor(Math.max(from, to - 1) / WINDOW); index++)
          ask(index);
      },
      held.windows.size ? 60 : 0,
    );
    return () => clearTimeout(timer);
  }, [held, from, to]);
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = 0;
    setTop(0);
  }, [held]);

  useLayoutEffect(() => {
    // The head is as tall as its words, and a scroll bar below takes room of its own.
    const frame = box.current;
    const tall =
      (frame?.querySelector("thead")?.offsetHeight ?? LINE) + (frame ? frame.offsetHeight - frame.clientHeight : 0);
    if (tall !== head) setHead(tall);
  });

  const at = (row) => held.windows.get(Math.floor(row / WINDOW))?.[row % WINDOW];
  const order = (name) =>
    setSort(
      sort.column === name
        ? sort.descending
          ? { column: null, descending: false }
          : { column: name, descending: true }
        : { column: name, descending: false },
    );
  const lines = [];
  for (let row = from; row < to; row++) lines.push(row);
  return html`<div class="table-frame">
    <${ErrorNotice} error=${error} onRetry=${() => (setError(null), refresh())} />
    <div class="table-box" ref=${box} tabindex="0" role="region" aria-label=${label}
      style=${{ maxHeight: `${sight * LINE + head}px` }}
      onScroll=${(event) => setTop(event.target.scrollTop)}>
      <table class="data" aria-rowcount=${total + 1}>
        <thead>
          <tr aria-rowindex="1">
            <th scope="col" class="row-number"><span class="unseen">${t("app.table.row")}</span></th>
            ${heads.map(
              (
                column,
              ) => html`<th scope="col" key=${column.name} class=${column.class ?? ""} aria-sort=${sort.column === column.name ? (sort.descending ? "descending" : "ascending") : undefined}>
              ${sortable ? html`<button type="button" class="sort" onClick=${() => order(column.name)}><span class="cut" title=${column.name}>${column.label ?? column.name}</span>${sort.column === column.name && html`<span class="sort-mark" aria-hidden="true">${sort.descending ? "▼" : "▲"}</span>`}</button>` : html`<span class="cut" title=${column.name}>${column.label ?? column.name}</span>`}
              ${column.note && html`<span class="th-note">${column.note}</span>`}
            </th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${above > 0 && html`<tr key="above" aria-hidden="true" class="spacer"><td colspan=${heads.length + 1} style=${{ height: `${above}px` }}></td></tr>`}
          ${lines.map((row) => {
            const values = at(row);
            return html`<tr key=${row} aria-rowindex=${row + 2} class=${(values && rowClass?.(values, row)) ?? ""}>
              <th scope="row" class="row-number">${number(row + 1)}</th>
              ${heads.map((column, index) => html`<td key=${column.name} class=${column.class ?? ""}>${values === undefined || values === null ? html`<span class="ghost"></span>` : cell ? cell(values[index], column, values) : shown(values[index])}</td>`)}
            </tr>`;
          })}
          ${below > 0 && html`<tr key="below" aria-hidden="true" class="spacer"><td colspan=${heads.length + 1} style=${{ height: `${below}px` }}></td></tr>`}
        </tbody>
      </table>
    </div>
    <p
      class="note table-foot">${t("app.table.rows", { from: total ? Math.min(first + 1, total) : 0, to: Math.min(first + sight, total), total })}</p>
  </div>`;
}

export function shown(value) {
  if (value === null || value === undefined) return html`<span class="missing">${t("app.missing")}</span>`;
  return String(value);
}

// A short table. columns: [{name, label, class?}]; rows: objects or arrays of texts or elements.
export function PlainTable({ label, columns, rows, class: extra = "" }) {
  return html`<div class="table-box plain" tabindex="0" role="region" aria-label=${label}>
    <table class=${`plain ${extra}`}>
      <thead><tr>${columns.map((column) => html`<th scope="col" class=${column.class ?? ""}>${column.label ?? column.name}</th>`)}</tr></thead>
      <tbody>
        ${rows.map(
          (row, at) => html`<tr key=${at}>
          ${columns.map((column, index) => {
            const value = Array.isArray(row) ? row[index] : row[column.name];
            return index === 0
              ? html`<th scope="row" class=${column.class ?? ""}>${value}</th>`
              : html`<td class=${column.class ?? ""}>${value}</td>`;
          })}
        </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
