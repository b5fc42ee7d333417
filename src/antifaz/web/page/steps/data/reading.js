// How a file was read: separator, encoding, header, missing values. Changing one reads it anew.
import { html, useEffect, useState } from "../../html.js";
import { t } from "../../words.js";
import { Button } from "../../components/button.js";
import { CheckField, ListField, SelectField, TextField } from "../../components/field.js";

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

export function Reading({ dataset, busy, onChange }) {
  const [told, setTold] = useState(dataset.options ?? {});
  useEffect(() => setTold(dataset.options ?? {}), [JSON.stringify(dataset.options)]);
  const set = (key) => (value) => setTold({ ...told, [key]: value });
  const delimiter = told.delimiter ?? "";
  const [own, setOwn] = useState(false);
  const other = own || (!DELIMITERS.includes(delimiter) && delimiter !== "");
  const choose = (value) => (setOwn(value === "other"), set("delimiter")(value === "other" ? "||" : value));
  const encodings = [...new Set([...ENCODINGS, ...(told.encoding ? [told.encoding] : [])])];
  const send = (event) => {
    event.preventDefault();
    onChange(Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null && value !== "")));
  };
  if (dataset.origin === "database") return html`<p>${t("data.reading.database")}</p>`;
  return html`<form class="stack" onSubmit=${send}>
    <p class="note">${t("data.reading.text")}</p>
    <div class="fields">
      <${SelectField} label=${t("data.delimiter")} value=${other ? "other" : delimiter}
        onChange=${choose}
        options=${[["", t("data.by.itself")], ...DELIMITERS.map((one) => [one, t(`data.delimiter.${DELIMITERS.indexOf(one)}`)]), ["other", t("data.delimiter.other")]]} />
      ${other && html`<${TextField} label=${t("data.delimiter.which")} value=${delimiter} onChange=${set("delimiter")} />`}
      <${SelectField} label=${t("data.encoding")} help="encoding" value=${told.encoding ?? ""}
        options=${[["", t("data.by.itself")], ...encodings]} onChange=${set("encoding")} />
      <${TextField} label=${t("data.quote")} value=${told.quote ?? ""} maxlength="1" onChange=${set("quote")} />
      ${"sheet" in told && html`<${TextField} label=${t("data.sheet")} value=${told.sheet ?? ""} onChange=${set("sheet")} />`}
    </div>
    <${CheckField} label=${t("data.header")} value=${told.header ?? true} onChange=${set("header")} />
    <${ListField} label=${t("data.missing")} help="missing" note=${t("data.missing.note")} value=${told.missing ?? []}
      onChange=${set("missing")} suggestions=${["NA", "N/A", "?", "-", "null", "999"]} />
    <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy}>${t("data.read.again")}<//></div>
  </form>`;
}
