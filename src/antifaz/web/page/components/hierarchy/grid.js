// A hierarchy as a table: a row per value, a column per level, drawn in windows.
import { html, useMemo, useRef, useState } from "../../html.js";
import { t } from "../../words.js";
import { addLevel, height, labels, removeLevel, setCell } from "./rows.js";

const ROW = 42;
const MORE = 6;
const WINDOW = 460;

export function GridView({ rows, onChange, say }) {
  const [wanted, setWanted] = useState("");
  const [first, setFirst] = useState(0);
  const body = useRef(null);
  const top = height(rows);
  const found = useMemo(() => {
    const text = wanted.trim().toLowerCase();
    const all = rows.map((row, index) => ({ row, index }));
    return text ? all.filter(({ row }) => row.some((label) => label.toLowerCase().includes(text))) : all;
  }, [rows, wanted]);
  const from = Math.min(Math.max(0, first - MORE), Math.max(0, found.length - 1));
  const part = found.slice(from, first + Math.ceil(WINDOW / ROW) + MORE);
  const levels = Array.from({ length: top }, (_, i) => i + 1);

  const write = (event, index, level) => {
    const next = setCell(rows, index, level, event.target.value);
    if (next === rows) event.target.value = rows[index][level];
    else onChange(next);
  };
  const onKey = (event, place, level) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Enter: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.target.blur();
    const next = body.current?.querySelector(`[data-cell="${place + step}-${level}"]`);
    if (next) { next.focus(); next.select(); }
  };
  const change = (next, said) => { onChange(next); say(said); };
  return html`<div class="grid-view">
    <div class="grid-top">
      <label class="tree-field" for="grid-find"><span>${t("tree.find")}</span>
        <input id="grid-find" type="search" value=${wanted} onInput=${(event) => setWanted(event.target.value)} /></label>
      <p class="hint">${t("tree.cells")}</p>
    </div>
    <div class="grid-scroll" tabindex="0" role="region" aria-label=${t("tree.table")}
        onScroll=${(event) => setFirst(Math.floor(event.currentTarget.scrollTop / ROW))}>
      <table class="grid" aria-rowcount=${found.length + 1}>
        <thead><tr>
          <th scope="col">${t("tree.value")}</th>
          ${levels.map((level) => html`<th scope="col" key=${level}><div class="grid-head">
            <span>${t("tree.level", { level })} <small>${t("tree.labels", { count: labels(rows, level).length })}</small></span>
            <span class="grid-buttons">
              <button type="button" class="icon-button" title=${t("tree.addAbove", { level })} aria-label=${t("tree.addAbove", { level })}
                onClick=${() => change(addLevel(rows, level), t("tree.added"))}>+</button>
              <button type="button" class="icon-button" title=${t("tree.remove", { level })} aria-label=${t("tree.remove", { level })}
                disabled=${top < 2} onClick=${() => change(removeLevel(rows, level), t("tree.removed", { level }))}>×</button>
            </span></div></th>`)}
        </tr></thead>
        <tbody ref=${body}>
          ${from > 0 && html`<tr aria-hidden="true"><td colspan=${top + 1} style=${{ height: `${from * ROW}px`, padding: 0 }}></td></tr>`}
          ${part.map(({ row, index }, i) => html`<tr key=${index} aria-rowindex=${from + i + 2}>
            <th scope="row" title=${row[0]}>${row[0]}</th>
            ${levels.map((level) => html`<td key=${level}><input value=${row[level]} data-cell=${`${from + i}-${level}`} list=${`grid-labels-${level}`}
              aria-label=${t("tree.cell", { value: row[0], level })} onChange=${(event) => write(event, index, level)}
              onKeyDown=${(event) => onKey(event, from + i, level)} autocomplete="off" spellcheck=${false} /></td>`)}
          </tr>`)}
          ${from + part.length < found.length && html`<tr aria-hidden="true">
            <td colspan=${top + 1} style=${{ height: `${(found.length - from - part.length) * ROW}px`, padding: 0 }}></td></tr>`}
        </tbody>
      </table>
    </div>
    ${levels.map((level) => html`<datalist id=${`grid-labels-${level}`} key=${level}>
      ${labels(rows, level).slice(0, 200).map((label) => html`<option value=${label} />`)}</datalist>`)}
  </div>`;
}
