// Which columns of different tables are the same attribute: it gets one mapping everywhere, so that joins still hold.
import { html, useContext, useState } from "../../html.js";
import { helpOf, summaryOf, titleOf } from "../../declared.js";
import { t } from "../../words.js";
import { Button, IconButton } from "../../components/button.js";
import { SelectField, TextField } from "../../components/field.js";
import { DeclaredForm, starting } from "../../components/form.js";
import { Help } from "../../components/help.js";
import { Notice, announce } from "../../components/notice.js";
import { Tables } from "../../components/steps.js";
import { addRepeated, removeRepeated } from "../../tables.js";

/** Operations that look at the value alone, so that it becomes the same in every table. */
const BY_VALUE = ["pseudonymize", "encrypt", "substitute", "mask", "round", "top-code", "bottom-code", "suppress"];

export function RepeatedAttributes({ meta }) {
  const { names, datasets, whole, save } = useContext(Tables);
  const repeated = whole.document.repeated ?? [];
  const change = (edit) => save({ document: edit }).catch(() => null);
  const taken = (table, column) => repeated.some((one) => one.columns?.[table] === column);
  const free = Object.fromEntries(names.map((table) => [table, (datasets[table]?.columns ?? []).map((column) => column.name).filter((name) => !taken(table, name))]));
  const add = (name, columns) => {
    change((document) => addRepeated(document, unused(name, repeated), columns));
    announce(t("tables.same.added", { name }));
  };
  return html`<section class="panel" aria-labelledby="repeated">
    <h2 id="repeated">${t("tables.same")}<${Help} term="repeated-attribute" /></h2>
    <p class="note">${t("tables.same.text")}</p>
    ${repeated.map((one, at) => html`<${Attribute} key=${one.name} one=${one} meta=${meta}
      onChange=${(next) => change((document) => ({ ...document, repeated: document.repeated.map((other, index) => (index === at ? next : other)) }))}
      onRemove=${() => change((document) => removeRepeated(document, at))} />`)}
    <${Suggested} free=${free} add=${add} />
    <${NewAttribute} free=${free} add=${add} />
  </section>`;
}

const unused = (name, repeated) => {
  let found = name;
  for (let number = 2; repeated.some((one) => one.name === found); number++) found = `${name} ${number}`;
  return found;
};

/** Columns of the same name in several tables are likely the same attribute. */
function Suggested({ free, add }) {
  const found = new Map();
  for (const [table, columns] of Object.entries(free)) for (const column of columns) found.set(column, { ...found.get(column), [table]: column });
  const alike = [...found].filter(([, columns]) => Object.keys(columns).length > 1).slice(0, 8);
  if (!alike.length) return null;
  return html`<${Notice} kind="info" title=${t("tables.same.suggested")}>
    <div class="buttons">${alike.map(([name, columns]) => html`<${Button} small icon="add" key=${name} onClick=${() => add(name, columns)}>${name} <span class="note">(${Object.keys(columns).join(", ")})</span><//>`)}</div>
  <//>`;
}

function NewAttribute({ free, add }) {
  const [columns, setColumns] = useState({});
  const [name, setName] = useState("");
  const chosen = Object.fromEntries(Object.entries(columns).filter(([table, column]) => free[table]?.includes(column)));
  const enough = Object.keys(chosen).length > 1;
  const send = (event) => {
    event.preventDefault();
    add(name.trim() || Object.values(chosen)[0], chosen);
    setColumns({});
    setName("");
  };
  return html`<form class="stack" onSubmit=${send} aria-label=${t("tables.same.new")}>
    <h3>${t("tables.same.new")}</h3>
    <div class="fields">
      ${Object.entries(free).map(([table, list]) => html`<${SelectField} key=${table} label=${t("tables.same.column", { table })} value=${chosen[table] ?? ""}
        options=${[["", t("tables.same.none")], ...list]} onChange=${(column) => setColumns({ ...columns, [table]: column })} />`)}
      <${TextField} label=${t("tables.same.name")} note=${t("tables.same.name.note")} value=${name} onChange=${setName} autocomplete="off" />
    </div>
    <div class="buttons"><${Button} type="submit" icon="add" disabled=${!enough}>${t("tables.same.add")}<//></div>
  </form>`;
}

/** One repeated attribute: its columns, and what is done to its values in every table alike. */
function Attribute({ one, meta, onChange, onRemove }) {
  const several = Array.isArray(one.operation);
  const { name, ...parameters } = several ? {} : (one.operation ?? {});
  const known = meta.operations.filter((each) => BY_VALUE.includes(each.name));
  const declaration = known.find((each) => each.name === name);
  const put = (operation) => {
    const { operation: _, ...rest } = one;
    onChange(operation ? { ...rest, operation } : rest);
  };
  const begin = (chosen) => {
    const found = known.find((each) => each.name === chosen);
    put(found && { name: chosen, ...starting(found), ...(chosen === "substitute" ? { made: true } : {}) });
  };
  const options = [["", t("tables.same.by.role")], ...known.map((each) => [each.name, titleOf("operation", each)])];
  return html`<article class="card" aria-label=${one.name}>
    <div class="panel-head"><h3>${one.name}</h3><${IconButton} icon="bin" label=${t("app.remove.what", { what: one.name })} onClick=${onRemove} /></div>
    <p>${Object.entries(one.columns).map(([table, column]) => html`<span class="pair"><span class="note">${table}</span> ${column}</span>`)}</p>
    ${several ? html`<p class="note">${one.operation.map((each) => titleOf("operation", each)).join(" → ")}</p>` : html`
    <${SelectField} class="which" label=${t("tables.same.operation")} note=${declaration ? summaryOf("operation", declaration) : t("tables.same.by.role.note")} help=${declaration && helpOf("operation", declaration)}
      value=${name ?? ""} options=${options} onChange=${begin} />
    ${declaration && html`<${DeclaredForm} declaration=${declaration} value=${parameters} skip=${["joins", "where"]} onChange=${(next) => put({ name, ...next })} />`}`}
  </article>`;
}
