// Forms made from declarations: one control per parameter of the JSON Schema, the advanced ones folded away.
import { html, useState } from "../html.js";
import { choiceLabel, parameterHelp, parameterLabel, titleOf } from "../declared.js";
import { t } from "../words.js";
import { IconButton } from "./button.js";
import { Fold } from "./fold.js";
import { KeyField } from "./key.js";
import { PairsField } from "./pairs.js";
import { AreaField, CheckField, ListField, NumberField, Select, SelectField, TextField } from "./field.js";

const COLUMNS = new Set(["attribute", "target", "column", "columns", "strata", "given", "by_columns", "household", "weight", "risk", "carry", "similar"]);
const SHOWN = new Set(["suppression", "quality", "split", "release", "kind", "attribute", "distance"]);

// value: the parameters as in a project file, without the name. columns: [{name, role}] to choose from.
// `whole`: nothing is folded away. Parameters left as they are by default are not written into the value.
export function DeclaredForm({ declaration, value, onChange, columns = [], qualities = [], skip = [], whole = false }) {
  const schema = declaration.parameters ?? {};
  const required = new Set(schema.required ?? []);
  const names = Object.keys(schema.properties ?? {}).filter((name) => !skip.includes(name));
  const first = names.filter((name) => whole || required.has(name) || SHOWN.has(name));
  const rest = names.filter((name) => !first.includes(name));
  const used = rest.some((name) => value?.[name] !== undefined);
  const set = (name, next) => {
    const changed = { ...value };
    if (empty(next) || same(next, bare(schema.properties[name], schema).default)) delete changed[name];
    else changed[name] = next;
    if (required.has(name) && next !== undefined && next !== null) changed[name] = next;
    onChange(changed);
  };
  const control = (
    name,
  ) => html`<${Parameter} key=${name} declaration=${declaration} name=${name} schema=${bare(schema.properties[name], schema)}
    required=${required.has(name)} value=${value?.[name]} onChange=${(next) => set(name, next)} columns=${columns} qualities=${qualities} />`;
  return html`<div class="form">
    ${first.length > 0 && html`<div class="fields">${first.map(control)}</div>`}
    ${rest.length > 0 && html`<${Fold} class="advanced" open=${used} title=${t("app.advanced")}><div class="fields">${rest.map(control)}</div><//>`}
  </div>`;
}

// The parameters that a form starts with: what must be given and has an obvious value.
export function starting(declaration) {
  const schema = declaration.parameters ?? {};
  const begun = {};
  for (const name of schema.required ?? []) {
    const part = bare(schema.properties[name], schema);
    if (OBVIOUS[name] !== undefined) begun[name] = OBVIOUS[name];
    else if (part.enum) begun[name] = part.enum[0];
    else if (part.minimum !== undefined) begun[name] = part.minimum;
  }
  return begun;
}

const OBVIOUS = {
  k: 5,
  l: 2,
  t: 0.2,
  alpha: 0.5,
  delta: 1,
  beta: 1,
  threshold: 0.09,
  high: 0.5,
  base: 10,
  decimals: 0,
};

function Parameter({ declaration, name, schema, required, value, onChange, columns, qualities }) {
  const label = parameterLabel(declaration, name);
  const text = parameterHelp(declaration, name, schema.description);
  const help = text ? { title: label, text } : undefined;
  const note =
    schema.default !== undefined &&
    schema.default !== null &&
    !empty(schema.default) &&
    schema.type !== "boolean" &&
    !schema.enum
      ? t("app.default", { value: JSON.stringify(schema.default).replace(/^"|"$/g, "") })
      : undefined;
  const common = { label, help, note, required };
  if (name === "quality" && qualities.length) {
    const options = qualities.map((quality) => [quality.name, titleOf("quality", quality)]);
    return html`<${SelectField} ...${common} note=${undefined} value=${value ?? schema.default} options=${options} onChange=${onChange} />`;
  }
  if (COLUMNS.has(name) && columns.length && schema.items?.type === "array")
    return html`<${ListsOfColumns} ...${common} value=${value ?? []} columns=${columns} onChange=${onChange} />`;
  if (COLUMNS.has(name) && columns.length && isList(schema))
    return html`<${ColumnsField} ...${common} value=${[value ?? []].flat()} columns=${columns} onChange=${onChange} />`;
  if (COLUMNS.has(name) && columns.length)
    return html`<${ColumnField} ...${common} name=${name} value=${value} columns=${columns} onChange=${onChange} />`;
  if (name === "key") return html`<${KeyField} ...${common} value=${value} onChange=${onChange} />`;
  if (isPairs(schema)) return html`<${PairsField} ...${common} value=${value} onChange=${onChange} />`;
  if (schema.enum) {
    const options = schema.enum.map((choice) => [String(choice), choiceLabel(declaration, name, choice)]);
    const give = (text) => onChange(schema.enum.find((choice) => String(choice) === text));
    return html`<${SelectField} ...${common} value=${String(value ?? schema.default ?? "")} options=${schema.default === undefined || schema.default === null ? [["", t("app.not.given")], ...options] : options} onChange=${give} />`;
  }
  if (schema.type === "boolean")
    return html`<${CheckField} label=${label} help=${help} value=${value ?? schema.default ?? false} onChange=${onChange} />`;
  if (schema.type === "integer" || schema.type === "number")
    return html`<${NumberField} ...${common} whole=${schema.type === "integer"} min=${schema.minimum ?? schema.exclusiveMinimum} max=${schema.maximum ?? schema.exclusiveMaximum} value=${value ?? (required ? undefined : schema.default)} onChange=${onChange} />`;
  if (schema.type === "object" && schema.additionalProperties?.enum)
    return html`<${PerColumn} ...${common} choices=${schema.additionalProperties.enum.map((choice) => [choice, choiceLabel(declaration, "release", choice)])} value=${value ?? {}} columns=${columns} onChange=${onChange} />`;
  if (schema.type === "object" && ["number", "integer"].includes(schema.additionalProperties?.type))
    return html`<${PerColumn} ...${common} whole=${schema.additionalProperties.type === "integer"} value=${value ?? {}} columns=${columns} onChange=${onChange} />`;
  if (schema.type === "array" && schema.items?.enum)
    return html`<${ColumnsField} ...${common} value=${value ?? schema.default ?? []} columns=${schema.items.enum.map((choice) => ({ name: choice }))} onChange=${onChange} />`;
  if (schema.type === "array" && schema.items?.type === "string")
    return html`<${ListField} ...${common} value=${value ?? []} onChange=${onChange} />`;
  if (schema.type === "object" && schema.properties)
    return html`<${Inner} ...${common} declaration=${declaration} schema=${schema} value=${value ?? {}} columns=${columns} onChange=${onChange} />`;
  if (isScalar(schema))
    return html`<${TextField} ...${common} value=${value === undefined || value === null ? "" : String(value)} onChange=${(next) => onChange(next === "" ? null : scalar(next))} />`;
  if (schema.type === "string")
    return html`<${TextField} ...${common} value=${value} onChange=${(next) => onChange(next === "" ? null : next)} />`;
  return html`<${JsonField} ...${common} value=${value} onChange=${onChange} />`;
}

function ColumnField({ value, columns, onChange, required, note, name, ...rest }) {
  const fit = name === "attribute" ? columns.filter((column) => column.role === "sensitive") : columns;
  const options = [
    ...(required ? [] : [["", t("app.not.given")]]),
    ...(fit.length ? fit : columns).map((column) => column.name),
  ];
  return html`<${SelectField} ...${rest} value=${value} options=${options} onChange=${(next) => onChange(next || null)} />`;
}

function ColumnsField({ value, columns, onChange, label, help }) {
  const flip = (name, on) => onChange(on ? [...value, name] : value.filter((other) => other !== name));
  return html`<fieldset class="field"><legend>${label}</legend>
    <div
      class="ticks">${columns.map((column) => html`<${CheckField} key=${column.name} label=${column.name} value=${value.includes(column.name)} onChange=${(on) => flip(column.name, on)} />`)}</div>
    ${help && html`<p class="note">${help.text}</p>`}
  </fieldset>`;
}

// Lists of columns, one after another; a new one stands at the end.
function ListsOfColumns({ value, columns, onChange, label, help }) {
  const put = (at, list) =>
    onChange([...value.slice(0, at), ...(list.length ? [list] : []), ...value.slice(at + 1)]);
  return html`<fieldset class="field inner"><legend>${label}</legend>
    ${help && html`<p class="note">${help.text}</p>`}
    ${[...value, []].map((list, at) => html`<${ColumnsField} key=${at} label=${t("app.list.number", { number: at + 1 })} value=${list} columns=${columns} onChange=${(next) => put(at, next)} />`)}
  </fieldset>`;
}

// Parameters within a parameter, such as the tests of a condition.
function Inner({ label, help, declaration, schema, value, columns, onChange }) {
  const inner = { name: declaration.name, parameters: { ...schema, $defs: declaration.parameters?.$defs } };
  return html`<fieldset class="field inner"><legend>${label}</legend>
    ${help && html`<p class="note">${help.text}</p>`}
    <${DeclaredForm} whole declaration=${inner} value=${value} columns=${columns}
      onChange=${(next) => onChange(empty(next) ? null : next)} />
  </fieldset>`;
}

// A number, or one of some choices, for some of the columns.
function PerColumn({ label, help, value, columns, whole, choices, onChange }) {
  const free = columns.filter((column) => !(column.name in value));
  const put = (name, next) => onChange({ ...value, [name]: next ?? 0 });
  const drop = (name) => onChange(Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)));
  return html`<fieldset class="field per-column"><legend>${label}</legend>
    ${help && html`<p class="note">${help.text}</p>`}
    ${Object.entries(value).map(
      ([name, one]) => html`<div class="per-column-line" key=${name}>
      ${choices ? html`<${SelectField} label=${name} value=${one} options=${choices} onChange=${(next) => put(name, next)} />` : html`<${NumberField} label=${name} whole=${whole} value=${one} onChange=${(next) => put(name, next)} />`}
      <${IconButton} icon="close" label=${t("app.remove.what", { what: name })} onClick=${() => drop(name)} />
    </div>`,
    )}
    ${free.length > 0 && html`<${Select} aria-label=${t("app.add.column", { what: label })} value="" options=${[["", t("app.add.one")], ...free.map((column) => column.name)]} onChange=${(name) => name && put(name, choices ? choices[0][0] : whole ? 0 : 1)} />`}
  </fieldset>`;
}

// What has no control of its own is typed as JSON.
function JsonField({ value, onChange, ...rest }) {
  const [typed, setTyped] = useState(null);
  const [error, setError] = useState(null);
  const leave = (event) => {
    const text = event.target.value.trim();
    try {
      onChange(text === "" ? null : JSON.parse(text));
      setError(null);
      setTyped(null);
    } catch {
      setError(t("app.not.json"));
    }
  };
  return html`<${AreaField} ...${rest} error=${error} rows="2" class="code" value=${typed ?? (value === undefined ? "" : JSON.stringify(value))} onChange=${setTyped} onBlur=${leave} />`;
}

// The schema of a parameter without the wrapping that says it may be left out, and without references.
function bare(schema, whole) {
  if (!schema) return {};
  const told = { default: schema.default, description: schema.description };
  if (schema.$ref) return { ...whole.$defs?.[schema.$ref.split("/").pop()], ...clean(told) };
  const kinds = schema.anyOf?.filter((part) => part.type !== "null");
  if (kinds?.length === 1) return { ...bare(kinds[0], whole), ...clean(told) };
  if (kinds?.length > 1 && kinds.every((part) => part.type === "integer" || part.type === "number"))
    return { ...kinds[1], minimum: schema.ge, type: "number", ...clean(told) };
  return schema;
}

const clean = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
const SCALARS = new Set(["string", "number", "integer"]);
const isScalar = (schema) =>
  !schema.type && schema.anyOf?.every((part) => part.type === "null" || SCALARS.has(part.type));
// What is written like a number is one; 007 is not.
const scalar = (text) => (text.trim() !== "" && String(Number(text)) === text.trim() ? Number(text) : text);
// From texts to texts or numbers: a table of two columns.
const isPairs = (schema) =>
  (schema.anyOf ?? [schema]).some((part) => part.type === "object" && part.additionalProperties?.anyOf?.some((inner) => inner.type === "string"));
const isList = (schema) => schema.type === "array" || schema.anyOf?.some((part) => part.type === "array");
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function empty(value) {
  if (value === null || value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}
