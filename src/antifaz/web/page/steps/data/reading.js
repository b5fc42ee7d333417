// How a file is read: separator or widths, encoding, header, missing values. Changing one reads it anew.
import { html, useEffect, useState } from "../../html.js";
import { t } from "../../words.js";
import { Button } from "../../components/button.js";
import { AreaField, ListField, SelectField, TextField } from "../../components/field.js";

const DELIMITERS = [",", ";", "\t", "|", " ", ":"];
const ENCODINGS = [
  "utf-8",
  "utf-16",
  "cp1252",
  "iso-8859-1",
  "iso-8859-15",
  "cp437",
  "cp850",
  "mac-roman",
  "shift-jis",
  "gb18030",
];
const nameOf = (sign) => (DELIMITERS.includes(sign) ? t(`data.delimiter.${DELIMITERS.indexOf(sign)}`) : sign);

/** `found`: what was found out of a file that nobody said anything of. */
export function Reading({ dataset, found = {}, busy, submit, onChange }) {
  const [told, setTold] = useState(dataset.options ?? {});
  useEffect(() => setTold(dataset.options ?? {}), [JSON.stringify(dataset.options)]);
  const set = (key) => (value) => setTold({ ...told, [key]: value });
  const delimiter = told.delimiter ?? "";
  const [own, setOwn] = useState(false);
  const fixed = told.format === "fixed";
  const other = !fixed && (own || (!DELIMITERS.includes(delimiter) && delimiter !== ""));
  const choose = (value) => {
    setOwn(value === "other");
    const { format, widths, delimiter: _, quote, ...rest } = told;
    if (value === "fixed") setTold({ ...rest, format: "fixed", widths: widths ?? {} });
    else setTold({ ...rest, ...(fixed ? {} : { format, quote }), delimiter: value === "other" ? "||" : value });
  };
  const encodings = [...new Set([...ENCODINGS, ...(told.encoding ? [told.encoding] : [])])];
  const itself = (value) => (value ? t("data.by.itself.found", { found: value }) : t("data.by.itself"));
  const send = (event) => {
    event.preventDefault();
    const empty = (value) => value === null || value === undefined || value === "" || (typeof value === "object" && !Object.keys(value).length);
    onChange(Object.fromEntries(Object.entries(told).filter(([, value]) => !empty(value))));
  };
  const names = told.header ?? null;
  if (dataset.origin === "database") return html`<p>${t("data.reading.database")}</p>`;
  return html`<form class="stack" onSubmit=${send}>
    <p class="note">${t("data.reading.text")}</p>
    <div class="fields">
      <${SelectField} label=${t("data.delimiter")} value=${fixed ? "fixed" : other ? "other" : delimiter}
        onChange=${choose}
        options=${[["", itself(found.delimiter && nameOf(found.delimiter))], ...DELIMITERS.map((one) => [one, nameOf(one)]), ["other", t("data.delimiter.other")], ["fixed", t("data.fixed")]]} />
      ${other && html`<${TextField} label=${t("data.delimiter.which")} value=${delimiter} onChange=${set("delimiter")} />`}
      <${SelectField} label=${t("data.encoding")} help="encoding" value=${told.encoding ?? ""}
        options=${[["", itself(found.encoding)], ...encodings]} onChange=${set("encoding")} />
      ${!fixed && html`<${TextField} label=${t("data.quote")} value=${told.quote ?? ""} maxlength="1" onChange=${set("quote")} />`}
      ${"sheet" in told && html`<${TextField} label=${t("data.sheet")} value=${told.sheet ?? ""} onChange=${set("sheet")} />`}
      <${SelectField} label=${t("data.header")} value=${names === null ? "" : String(names)} onChange=${(value) => set("header")(value === "" ? null : value === "true")}
        options=${[["", t("data.by.itself")], ["true", t("data.header.yes")], ["false", t("data.header.no")]]} />
    </div>
    ${fixed && html`<${Widths} value=${told.widths} onChange=${set("widths")} />`}
    <${Missing} value=${told.missing} onChange=${set("missing")} />
    <div class="buttons"><${Button} type="submit" kind=${submit ? "" : "primary"} busy=${busy}>${submit ?? t("data.read.again")}<//></div>
  </form>`;
}

// One column per line: its name, and how many characters it has.
function Widths({ value, onChange }) {
  const [text, setText] = useState(() => Object.entries(value ?? {}).map(([name, width]) => `${name} ${width}`).join("\n"));
  const lines = text.split("\n").filter((line) => line.trim());
  const read = lines.map((line) => /^\s*(.+?)[\s,;:=]+(\d+)\s*$/.exec(line));
  const wrong = read.findIndex((one) => !one || Number(one[2]) < 1);
  const change = (next) => {
    setText(next);
    const found = next.split("\n").map((line) => /^\s*(.+?)[\s,;:=]+(\d+)\s*$/.exec(line)).filter(Boolean);
    onChange(Object.fromEntries(found.map(([, name, width]) => [name, Number(width)])));
  };
  return html`<${AreaField} class="code" label=${t("data.fixed.columns")} note=${t("data.fixed.note")} rows="5" spellcheck="false" value=${text} onChange=${change}
    error=${wrong >= 0 ? t("data.fixed.wrong", { line: lines[wrong] }) : null} />`;
}

// What means missing in all columns, or in each of some.
function Missing({ value, onChange }) {
  const words = ["NA", "N/A", "?", "-", "null", "999"];
  if (value && !Array.isArray(value))
    return html`<div class="fields">${Object.entries(value).map(([name, codes]) => html`<${ListField} key=${name} label=${t("data.missing.of", { column: name })} value=${[codes].flat()} onChange=${(next) => onChange({ ...value, [name]: next })} suggestions=${words} />`)}</div>`;
  return html`<${ListField} label=${t("data.missing")} help="missing" note=${t("data.missing.note")} value=${value ?? []}
    onChange=${onChange} suggestions=${words} />`;
}
