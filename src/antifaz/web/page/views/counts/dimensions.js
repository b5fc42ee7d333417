// The columns that a table is counted by, each with its subtotals if it has a hierarchy.
import { api } from "../../api.js";
import { html, useState } from "../../html.js";
import { t } from "../../words.js";
import { Button, IconButton } from "../../components/button.js";
import { SelectField } from "../../components/field.js";
import { lazy } from "../../components/lazy.js";
import { ErrorNotice } from "../../components/notice.js";
import { LevelsOf } from "../../steps/hierarchies/levels.js";

const HierarchyEditor = lazy(
  () => import("../../components/hierarchy.js"),
  (module) => module.HierarchyEditor ?? module.default,
);

export function Dimensions({ dataset, attributes, value, free, subtotals, onChange }) {
  const put = (column, next) => onChange(value.map((one) => (one.column === column ? next : one)));
  return html`<div class="stack">
    <${SelectField} label=${t("counts.by")} note=${t("counts.by.note")} value="" onChange=${(column) => column && onChange([...value, { column }])}
      options=${[["", t("counts.by.add")], ...free.map((column) => [column.name, t("counts.by.column", { column: column.name, count: column.distinct })])]} />
    ${value.map((one) => html`<${Dimension} key=${one.column} ...${{ dataset, one, subtotals, own: attributes[one.column]?.hierarchy }}
      onChange=${(hierarchy) => put(one.column, hierarchy ? { column: one.column, hierarchy } : { column: one.column })}
      onRemove=${() => onChange(value.filter((other) => other.column !== one.column))} />`)}
  </div>`;
}

function Dimension({ dataset, one, own, subtotals, onChange, onRemove }) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const add = async () => {
    setBusy(true);
    setError(null);
    try {
      // That of the project where it has one, else what is proposed.
      onChange(own ?? (await api.get(`/datasets/${dataset.id}/proposals/hierarchy?column=${encodeURIComponent(one.column)}`)).hierarchy);
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return html`<article class="card" aria-label=${one.column}>
    <div class="panel-head"><h3>${one.column}</h3><div class="buttons">
      ${subtotals && !one.hierarchy && html`<${Button} small icon="add" busy=${busy} onClick=${add}>${t("counts.subtotals.add")}<//>`}
      ${subtotals && one.hierarchy && html`<${Button} small icon=${open ? "up" : "pencil"} aria-expanded=${open ? "true" : "false"} onClick=${() => setOpen(!open)}>${t(open ? "hierarchies.close" : "hierarchies.edit")}<//>
        <${Button} small onClick=${() => onChange(null)}>${t("counts.subtotals.remove")}<//>`}
      <${IconButton} icon="close" label=${t("app.remove.what", { what: one.column })} onClick=${onRemove} />
    </div></div>
    <${ErrorNotice} error=${error} />
    ${subtotals && one.hierarchy && (open ? html`<${HierarchyEditor} dataset=${dataset} column=${one.column} value=${one.hierarchy} onChange=${onChange} />` : html`<${LevelsOf} dataset=${dataset} column=${one.column} hierarchy=${one.hierarchy} />`)}
  </article>`;
}
