// The same people before and after: a sample of the distinct combinations, input beside output, line by line.
import { html, useEffect, useRef, useState } from "../../html.js";
import { number, t, tn } from "../../words.js";

const FIRST = 12;

export function Pairs({ found, about, columns, heading }) {
  const [all, setAll] = useState(false);
  const wide = useWide("(min-width: 60rem)");
  const lines = about.counts.map((count, i) => ({ count, before: about.before.map((values) => values[i]), after: found.after.map((values) => values[i]), among: found.among[i] }));
  const part = all ? lines : lines.slice(0, FIRST);
  const Table = wide ? Beside : Within;
  return html`<section class="explorer-pairs">
    <${heading}>${t("explore.pairs")}<//>
    <p class="note">${t("explore.pairs.note")}</p>
    <${Table} lines=${part} columns=${columns} />
    ${lines.length > FIRST && !all && html`<button type="button" class="link" onClick=${() => setAll(true)}>${t("explore.showAll", { count: lines.length })}</button>`}
  </section>`;
}

const cell = (value) => (value === null || value === undefined ? html`<span class="missing">${t("app.missing")}</span>` : value);
const people = (among) => (among === null ? html`<span class="left-out">${t("explore.pairs.left")}</span>` : tn("explore.pairs.among", among));

/** Two tables whose lines are of one height; who scrolls one sideways scrolls the other. */
function Beside({ lines, columns }) {
  const [left, right] = [useRef(null), useRef(null)];
  const follow = (from, to) => () => { if (to.current && to.current.scrollLeft !== from.current.scrollLeft) to.current.scrollLeft = from.current.scrollLeft; };
  const head = (column) => html`<th scope="col"><span class="cut" title=${column}>${column}</span></th>`;
  return html`<div class="pairs-beside">
    <div class="beside-one"><h4>${t("explore.pairs.input")}</h4><div class="table-box plain" ref=${left} onScroll=${follow(left, right)} tabindex="0" role="region" aria-label=${t("explore.pairs.input")}>
      <table class="plain pairs"><thead><tr>${columns.map(head)}</tr></thead>
        <tbody>${lines.map((line, i) => html`<tr key=${i} class=${line.among === null ? "is-left" : ""}>${line.before.map((value) => html`<td>${cell(value)}</td>`)}</tr>`)}</tbody></table></div></div>
    <div class="beside-one"><h4>${t("explore.pairs.output")}</h4><div class="table-box plain" ref=${right} onScroll=${follow(right, left)} tabindex="0" role="region" aria-label=${t("explore.pairs.output")}>
      <table class="plain pairs"><thead><tr><th scope="col">${t("explore.pairs.company")}</th>${columns.map(head)}</tr></thead>
        <tbody>${lines.map((line, i) => html`<tr key=${i} class=${line.among === null ? "is-left" : ""}><td>${people(line.among)}</td>${line.after.map((value, a) => html`<td class=${line.among !== null && value !== line.before[a] ? "is-changed" : ""}>${line.among === null ? "" : cell(value)}</td>`)}</tr>`)}</tbody></table></div></div>
  </div>`;
}

/** On a narrow screen each cell says what it was and what it becomes. */
function Within({ lines, columns }) {
  return html`<div class="table-box plain" tabindex="0" role="region" aria-label=${t("explore.pairs")}><table class="plain pairs">
    <thead><tr>${columns.map((column) => html`<th scope="col"><span class="cut" title=${column}>${column}</span></th>`)}<th scope="col">${t("explore.pairs.company")}</th></tr></thead>
    <tbody>${lines.map((line) => html`<tr class=${line.among === null ? "is-left" : ""}>
      ${line.before.map((value, i) => html`<td><span class="was">${cell(value)}</span>${line.among !== null && html`<span class=${value === line.after[i] ? "" : "is-changed"}>${cell(line.after[i])}</span>`}</td>`)}
      <td>${people(line.among)}</td>
    </tr>`)}</tbody>
  </table></div>`;
}

function useWide(query) {
  const [wide, setWide] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const watched = matchMedia(query);
    const change = () => setWide(watched.matches);
    watched.addEventListener("change", change);
    return () => watched.removeEventListener("change", change);
  }, [query]);
  return wide;
}
