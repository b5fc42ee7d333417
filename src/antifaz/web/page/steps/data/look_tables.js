// The lines of a file as they stand there, with what is wrong marked; and the first rows as they would be read.
import { html } from "../../html.js";
import { number, t, tn } from "../../words.js";
import { shown } from "../../components/table.js";

/** `ruler`: lines of fixed width, under a ruler that counts their characters. */
export function Picture({ lines, fault, ruler, sheet }) {
  const wide = Math.max(1, ...lines.map((line) => Math.max(line.cells.length, line.number === fault?.line ? Math.max(0, ...fault.columns) : 0)));
  const columns = [...Array(Math.min(wide, 41)).keys()];
  const longest = Math.max(10, ...lines.map((line) => (line.cells[0] ?? "").length));
  return html`<figure class="stack">
    <figcaption><h3>${t(sheet ? "look.picture.sheet" : "look.picture")}</h3>${fault?.line && html`<p class="note">${t(fault.columns.length ? "look.picture.place" : "look.picture.line", { line: number(fault.line), column: fault.columns.join(", ") })}</p>`}</figcaption>
    <div class="table-box picture-box" tabindex="0" role="region" aria-label=${t(sheet ? "look.picture.sheet" : "look.picture")}>
      <table class="picture">
        ${ruler && html`<thead><tr><th scope="col"><span class="unseen">${t("look.line")}</span></th><th scope="col"><pre>${ticks(longest)}</pre></th></tr></thead>`}
        <tbody>${lines.map((line, at) => {
          const wrong = line.number === fault?.line;
          const gap = at > 0 && line.number > lines[at - 1].number + 1;
          return html`${gap && html`<tr key=${`gap${line.number}`} class="gap"><th scope="row">⋮</th><td colspan=${columns.length}></td></tr>`}
          <tr key=${line.number} class=${wrong ? "wrong" : ""}><th scope="row">${number(line.number)}${wrong && html`<span class="unseen"> ${t("look.wrong")}</span>`}</th>
            ${line.cells.length === 0 && !wrong ? html`<td colspan=${columns.length} class="missing">${t("look.blank")}</td>` : columns.map((column) => html`<td key=${column} class=${wrong && fault.columns.includes(column + 1) ? "wrong" : column >= line.cells.length ? "beyond" : ""}>${cell(line, column, ruler)}</td>`)}
            ${line.more && html`<td>…</td>`}</tr>`;
        })}</tbody>
      </table>
    </div>
  </figure>`;
}

const cell = (line, column, ruler) => (ruler ? html`<pre>${line.cells[column] ?? ""}</pre>` : (line.cells[column] ?? ""));

// 1···5····10···15
function ticks(length) {
  let text = "";
  for (let at = 5; text.length < length; at += 5) text += String(at).padStart(5, "·");
  return text;
}

export function Preview({ preview }) {
  const more = preview.width - preview.columns.length;
  return html`<figure class="stack">
    <figcaption><h3>${t("look.preview")}</h3><p class="note">${tn("data.rows", preview.total)} · ${tn("data.columns", preview.width)}${more > 0 ? ` · ${t("look.preview.more", { count: more })}` : ""}</p></figcaption>
    <div class="table-box" tabindex="0" role="region" aria-label=${t("look.preview")}>
      <table class="data">
        <thead><tr><th scope="col" class="row-number"><span class="unseen">${t("app.table.row")}</span></th>${preview.columns.map((column) => html`<th scope="col" key=${column.name}><span class="cut" title=${column.name}>${column.name}</span><span class="th-note">${t(`type.${column.type}`)}</span></th>`)}</tr></thead>
        <tbody>${preview.rows.map((row, at) => html`<tr key=${at}><th scope="row" class="row-number">${number(at + 1)}</th>${row.map((value, column) => html`<td key=${column}>${shown(value)}</td>`)}</tr>`)}</tbody>
      </table>
    </div>
  </figure>`;
}
