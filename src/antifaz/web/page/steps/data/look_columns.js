// What a person may still say of columns before they are read: how their dates and numbers are written, what means missing.
import { html } from "../../html.js";
import { t, tn } from "../../words.js";
import { CheckField, SelectField } from "../../components/field.js";

const kindOf = (form) => form.split("(")[0];
const wordOf = (form) => t(`look.form.${form.replace(/[^a-z]+/gi, "-").replace(/-$/, "")}`);

function few(names) {
  return names.length > 4 ? t("look.and.more", { names: names.slice(0, 3).join(", "), count: names.length - 3 }) : names.join(", ");
}

/** Columns that could be written in the same ways are asked about together. */
export function Forms({ columns, told, onChange }) {
  const types = told.types ?? {};
  const groups = new Map();
  for (const column of columns) {
    const own = types[column.name];
    // What stands for nothing is written in no form; it is asked about first.
    const key = JSON.stringify(column.codes.length && !own ? [] : column.forms.length ? column.forms : own?.includes("(") || own === "set" ? [own] : []);
    if (key !== "[]") groups.set(key, [...(groups.get(key) ?? []), column.name]);
  }
  if (!groups.size) return null;
  const choose = (names, form) => {
    const rest = Object.fromEntries(Object.entries(types).filter(([name]) => !names.includes(name)));
    onChange({ ...told, types: form ? { ...rest, ...Object.fromEntries(names.map((name) => [name, form])) } : rest });
  };
  return html`<div class="stack"><h3>${t("look.forms")}</h3><p class="note">${t("look.forms.text")}</p>
    <div class="fields">${[...groups].map(([key, names]) => {
      const forms = JSON.parse(key);
      return html`<${SelectField} key=${names.join()} label=${t(`look.forms.${kindOf(forms[0])}`)} note=${few(names)} value=${types[names[0]] ?? ""} options=${[["", t("look.form.text")], ...forms.map((form) => [form, wordOf(form)])]} onChange=${(form) => choose(names, form)} />`;
    })}</div></div>`;
}

/** Values that may mean missing, each with all columns in which it stands. */
export function Codes({ columns, told, onChange }) {
  const chosen = Array.isArray(told.missing) ? {} : (told.missing ?? {});
  const codes = new Map();
  const put = (code, name, count, reason) => {
    const known = codes.get(code) ?? { names: [], count: 0, reason };
    codes.set(code, { ...known, names: [...known.names, name], count: known.count + count });
  };
  for (const { name, codes: own } of columns) {
    for (const { code, count, reason } of own) put(code, name, count, reason);
    for (const code of chosen[name] ?? []) if (!own.some((one) => one.code === code)) put(code, name, 0, "");
  }
  if (!codes.size || (Array.isArray(told.missing) && told.missing.length)) return null;
  const set = (code, names, on) => {
    const next = { ...chosen };
    for (const name of names) {
      const others = (next[name] ?? []).filter((one) => one !== code);
      if (on) next[name] = [...others, code];
      else if (others.length) next[name] = others;
      else delete next[name];
    }
    const { missing, ...rest } = told;
    onChange(Object.keys(next).length ? { ...rest, missing: next } : rest);
  };
  return html`<div class="stack"><h3>${t("look.codes")}</h3><p class="note">${t("look.codes.text")}</p>
    ${[...codes].map(([code, one]) => html`<${CheckField} key=${code} label=${t("look.code", { code, columns: few(one.names) })} note=${[one.count ? tn("look.code.count", one.count) : "", one.reason].filter(Boolean).join(" ")} value=${one.names.every((name) => chosen[name]?.includes(code))} onChange=${(on) => set(code, one.names, on)} />`)}</div>`;
}
