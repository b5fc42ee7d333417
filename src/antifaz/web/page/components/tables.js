// The tables of a project of several: which one a step is about, their names, and one more.
import { api } from "../api.js";
import { html, useContext, useState } from "../html.js";
import { t } from "../words.js";
import { Button } from "./button.js";
import { Confirm } from "./dialog.js";
import { TextField } from "./field.js";
import { Icon } from "./icon.js";
import { ErrorNotice, Notice, announce } from "./notice.js";
import { Tables, isGiven } from "./steps.js";
import { tableDocument } from "../tables.js";

/** One button per table; the step below is about the one that is chosen. */
export function TableTabs({ step }) {
  const { names, table, datasets, whole, to } = useContext(Tables);
  return html`<nav class="tabs" aria-label=${t("tables.label")}>
    <ul>${names.map((name) => {
      const done = isGiven(step, tableDocument(whole.document, name), datasets[name]);
      return html`<li key=${name}><button type="button" class=${`tab${name === table ? " is-on" : ""}`} aria-current=${name === table ? "true" : undefined} onClick=${() => to(name)}>
        <${Icon} name=${done ? "check" : "data"} size=${16} /><span>${name}</span>${done && html`<span class="unseen">(${t("app.step.done")})</span>`}</button></li>`;
    })}</ul>
  </nav>`;
}

/** The name of a table, and the way to take it out of the project. */
export function TableName() {
  const { table, whole, take, to } = useContext(Tables);
  const [name, setName] = useState(table);
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState(null);
  const rename = async (event) => {
    event.preventDefault();
    setError(null);
    try {
      const found = await api.patch(`/projects/${whole.id}/tables/${encodeURIComponent(table)}`, { name: name.trim() });
      await take(found);
      to(name.trim());
      announce(t("home.rename.done"));
    } catch (problem) {
      setError(problem);
    }
  };
  const remove = async () => {
    await take(await api.del(`/projects/${whole.id}/tables/${encodeURIComponent(table)}`));
    to("");
  };
  return html`<section class="panel" aria-labelledby="table-name">
    <h2 id="table-name">${t("tables.name.title")}</h2>
    <form class="inline" onSubmit=${rename}>
      <${TextField} label=${t("tables.name")} note=${t("tables.name.note")} value=${name} onChange=${setName} required autocomplete="off" spellcheck="false" />
      <div class="buttons"><${Button} type="submit" disabled=${!name.trim() || name.trim() === table}>${t("home.rename")}<//>
        <${Button} icon="bin" onClick=${() => setAsking(true)}>${t("tables.remove")}<//></div>
    </form>
    <${ErrorNotice} error=${error} />
    <${Confirm} open=${asking} title=${t("tables.remove.what", { table })} yes=${t("tables.remove")} danger act=${remove} onClose=${() => setAsking(false)}><p>${t("tables.remove.text")}</p><//>
  </section>`;
}

/** The rows went to a table of a database, and are not here. */
export function InTable({ table }) {
  return html`<${Notice} kind="good" title=${t("release.in.table")}><p>${t("release.in.table.text", { table: table ?? "–" })}</p><//>`;
}
