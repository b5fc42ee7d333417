// For experts, and for light projects: what is done to the cells of single columns, or of several together.
import { html, useState } from "../../html.js";
import { helpOf, summaryOf, titleOf } from "../../declared.js";
import { t } from "../../words.js";
import { Button, IconButton } from "../../components/button.js";
import { CheckField, Select, SelectField } from "../../components/field.js";
import { Fold } from "../../components/fold.js";
import { DeclaredForm, starting } from "../../components/form.js";
import { Help } from "../../components/help.js";
import { RoleName } from "../roles/table.js";

const SHOWN = 60;

export function Operations({ meta, columns, document, open, change }) {
  const [all, setAll] = useState(false);
  const kinds = [
    ...meta.operations.map((one) => ["operation", one]),
    ...meta.perturbations.map((one) => ["perturbation", one]),
  ];
  const used = columns.filter((column) => document.attributes?.[column.name]?.operation);
  const rest = columns.filter((column) => !used.includes(column));
  const put = (column, list) =>
    change((copy) => {
      copy.attributes ??= {};
      const known = { ...(copy.attributes[column] ?? { role: "insensitive" }) };
      if (list.length === 0) delete known.operation;
      else known.operation = list.length === 1 ? list[0] : list;
      copy.attributes[column] = known;
    });
  const named = (name) => kinds.find(([, one]) => one.name === name);
  const begin = (column, name) =>
    put(column, [...[document.attributes?.[column]?.operation ?? []].flat(), { name, ...starting(named(name)[1]) }]);
  const options = kinds.map(([kind, one]) => [one.name, titleOf(kind, one)]);
  return html`<section class="panel"><${Fold} open=${open || used.length > 0 || document.perturbation?.length > 0} title=${t(open ? "privacy.operations.light" : "privacy.operations")}>
    <div class="stack">
      <p class="note">${t(open ? "privacy.operations.light.text" : "privacy.operations.text")}<${Help}
        term="operation" /></p>
      ${used.map(
        (column) => html`<article class="card" key=${column.name} aria-label=${column.name}>
        <div class="panel-head"><h3>${column.name} <${RoleName} role=${column.role} /></h3></div>
        ${[document.attributes[column.name].operation].flat().map(
          (
            one,
            at,
            list,
          ) => html`<${Operation} key=${at} column=${column.name} one=${one} found=${named(one.name)} columns=${columns}
          onChange=${(next) =>
            put(
              column.name,
              list.map((other, index) => (index === at ? next : other)),
            )} onRemove=${() =>
            put(
              column.name,
              list.filter((_, index) => index !== at),
            )} />`,
        )}
        <${Select} aria-label=${t("privacy.operations.then", { column: column.name })} value=""
          options=${[["", t("privacy.operations.another")], ...options]}
          onChange=${(name) => name && begin(column.name, name)} />
      </article>`,
      )}
      ${
        rest.length > 0 &&
        html`<div class="fields">
        ${rest.slice(0, all ? rest.length : SHOWN).map((column) => html`<${SelectField} key=${column.name} label=${column.name} value="" options=${[["", t("privacy.operations.none")], ...options]} onChange=${(name) => name && begin(column.name, name)} />`)}
      </div>`
      }
      ${rest.length > SHOWN && !all && html`<div class="buttons"><${Button} onClick=${() => setAll(true)}>${t("roles.more", { count: rest.length - SHOWN })}<//></div>`}
      <${Together} meta=${meta} columns=${columns} value=${document.perturbation ?? []} change=${change} />
    </div>
  <//></section>`;
}

function Operation({ column, one, found, columns, onChange, onRemove }) {
  const [kind, declaration] = found ?? ["operation", { name: one.name }];
  const { name, ...parameters } = one;
  return html`<div class="stack operation">
    <div class="panel-head"><h4>${titleOf(kind, declaration)}<${Help} ...${helpOf(kind, declaration)} /></h4>
      <${IconButton} icon="bin" label=${t("privacy.operations.remove", { what: titleOf(kind, declaration), column })}
        onClick=${onRemove} /></div>
    <p class="note">${summaryOf(kind, declaration)}</p>
    <${DeclaredForm} whole declaration=${declaration} value=${parameters} columns=${columns}
      onChange=${(next) => onChange({ name, ...next })} />
  </div>`;
}

// Perturbations of several columns at once, such as correlated noise.
function Together({ meta, columns, value, change }) {
  const put = (list) => change((copy) => void (list.length ? (copy.perturbation = list) : delete copy.perturbation));
  const add = (name) =>
    put([...value, { name, columns: [], ...starting(meta.perturbations.find((one) => one.name === name)) }]);
  const replace = (at, next) => put(value.map((one, index) => (index === at ? next : one)));
  return html`<h3>${t("privacy.together")}</h3><p class="note">${t("privacy.together.text")}</p>
    ${value.map((one, at) => {
      const declaration = meta.perturbations.find((other) => other.name === one.name) ?? { name: one.name };
      const { name, columns: chosen, ...parameters } = one;
      const list = [chosen ?? []].flat();
      return html`<article class="card" key=${at}>
        <div class="panel-head"><h4>${titleOf("perturbation", declaration)}<${Help}
          ...${helpOf("perturbation", declaration)} /></h4>
          <${IconButton} icon="bin" label=${t("app.remove.what", { what: titleOf("perturbation", declaration) })}
            onClick=${() => put(value.filter((_, index) => index !== at))} /></div>
        <fieldset class="field"><legend>${t("privacy.together.columns")}</legend><div
          class="ticks">${columns.filter((column) => column.role !== "identifier").map((column) => html`<${CheckField} key=${column.name} label=${column.name} value=${list.includes(column.name)} onChange=${(on) => replace(at, { name, columns: on ? [...list, column.name] : list.filter((other) => other !== column.name), ...parameters })} />`)}</div></fieldset>
        <${DeclaredForm} declaration=${declaration} value=${parameters} columns=${columns}
          onChange=${(next) => replace(at, { name, columns: list, ...next })} />
      </article>`;
    })}
    <div class="narrow"><${SelectField} label=${t("privacy.together.add")} value=""
      options=${[["", t("app.choose")], ...meta.perturbations.map((one) => [one.name, titleOf("perturbation", one)])]}
      onChange=${(name) => name && add(name)} /></div>`;
}
