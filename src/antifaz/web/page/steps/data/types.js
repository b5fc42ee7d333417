// What kind of value each column holds, as understood, and changeable.
import { html, useState } from "../../html.js";
import { number, t } from "../../words.js";
import { Select } from "../../components/field.js";
import { PlainTable } from "../../components/table.js";

export const TYPES = ["text", "integer", "decimal", "date", "datetime", "boolean", "set"];

export function Types({ dataset, busy, onChange }) {
  const columns = [
    { name: "name", label: t("data.column") },
    { name: "type", label: t("data.type") },
    { name: "length", label: t("data.length") },
    { name: "distinct", label: t("data.distinct"), class: "number" },
    { name: "missing", label: t("data.missing.count"), class: "number" },
    { name: "span", label: t("data.span") },
  ];
  const told = dataset.options?.types ?? {};
  const lengthOf = (column) => told[column.name]?.match(/\d+/)?.[0] ?? column.longest;
  const tell = (column, length) => onChange(column.name, length ? `text(${length})` : "text");
  const rows = dataset.columns.map((column) => ({
    name: column.name,
    type: html`<${Select} aria-label=${t("data.type.of", { column: column.name })} disabled=${busy} value=${column.type} options=${TYPES.map((type) => [type, t(`type.${type}`)])} onChange=${(type) => onChange(column.name, type)} />`,
    length:
      column.type !== "text"
        ? column.longest
        : html`<${Length} label=${t("data.length.of", { column: column.name })} busy=${busy} value=${lengthOf(column)} onChange=${(length) => tell(column, length)} />`,
    distinct: number(column.distinct),
    missing: number(column.missing),
    span: column.low === null || column.low === undefined ? "–" : `${column.low} … ${column.high}`,
  }));
  return html`<div class="stack"><p class="note">${t("data.types.text")}</p><${PlainTable} label=${t("data.types")} columns=${columns} rows=${rows} /></div>`;
}

/** What is typed stays while the page is drawn again; a length that is refused does not. */
function Length({ label, busy, value, onChange }) {
  const [typed, setTyped] = useState(null);
  const tell = async (event) => {
    await onChange(event.target.value);
    setTyped(null);
  };
  return html`<input type="number" class="short" min="1" aria-label=${label} disabled=${busy} value=${typed ?? value} onInput=${(event) => setTyped(event.target.value)} onChange=${tell} />`;
}
