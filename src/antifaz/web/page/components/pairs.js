// From each value to its new one: a table of two columns, typed or read from a CSV file.
import { html, useRef, useState } from "../html.js";
import { t } from "../words.js";
import { Button, IconButton } from "./button.js";
import { parse } from "./hierarchy/csv.js";

/** The most lines that are shown to be typed in; all of them count. */
const SHOWN = 200;

export function PairsField({ label, help, value, onChange }) {
  const [rows, setRows] = useState(() => Object.entries(typeof value === "object" && value ? value : {}));
  const [error, setError] = useState(null);
  const input = useRef(null);
  const put = (next) => {
    setRows(next);
    const told = next.filter(([old]) => old !== "");
    const twice = told.find(([old, now], i) => told.some(([other, then], j) => j < i && other === old && then !== now));
    setError(twice ? t("pairs.twice", { value: twice[0] }) : null);
    if (!twice) onChange(told.length ? Object.fromEntries(told) : null);
  };
  const edit = (at, side) => (event) =>
    put(rows.map((row, index) => (index === at ? row.map((cell, i) => (i === side ? event.target.value : cell)) : row)));
  const read = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    const text = await file.text();
    // The first line names the columns, as in the files that the command line takes.
    const found = [",", ";", "\t"].map((mark) => parse(text, mark)).find((lines) => lines.length && lines.every((line) => line.length === 2));
    if (found) put(found.slice(1));
    else setError(t("pairs.not.two"));
  };
  return html`<fieldset class="field pairs"><legend>${label}</legend>
    ${help && html`<p class="note">${help.text}</p>`}
    ${rows.length > 0 && html`<table><thead><tr><th scope="col">${t("pairs.old")}</th><th scope="col">${t("pairs.new")}</th><th></th></tr></thead>
      <tbody>${rows.slice(0, SHOWN).map(
        ([old, now], at) => html`<tr key=${at}>
        <td><input aria-label=${t("pairs.old.of", { number: at + 1 })} value=${old} onInput=${edit(at, 0)} /></td>
        <td><input aria-label=${t("pairs.new.of", { number: at + 1 })} value=${now ?? ""} onInput=${edit(at, 1)} /></td>
        <td><${IconButton} icon="bin" label=${t("app.remove.what", { what: old })} onClick=${() => put(rows.filter((_, index) => index !== at))} /></td>
      </tr>`,
      )}</tbody></table>`}
    ${rows.length > SHOWN && html`<p class="note">${t("pairs.more", { count: rows.length - SHOWN })}</p>`}
    ${typeof value === "string" && html`<p class="note">${value}</p>`}
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <input ref=${input} type="file" accept=".csv,.tsv,.txt" class="unseen" tabindex="-1" aria-hidden="true" onChange=${read} />
    <div class="buttons">
      <${Button} small icon="add" onClick=${() => setRows([...rows, ["", ""]])}>${t("pairs.add")}<//>
      <${Button} small icon="upload" onClick=${() => input.current.click()}>${t("pairs.csv")}<//>
    </div>
  </fieldset>`;
}
