// The release as new tables: of the database that the data came from, or of another one.
import { askRecipient } from "../../components/downloads.js";
import { api } from "../../api.js";
import { Button } from "../../components/button.js";
import { CheckField, SelectField, TextField } from "../../components/field.js";
import { Fold } from "../../components/fold.js";
import { ErrorNotice, Notice } from "../../components/notice.js";
import { Work } from "../../components/work.js";
import { html, useState } from "../../html.js";
import { follow, isCopy } from "../../runs.js";
import { t } from "../../words.js";
import { Connection, bodyOf, startOf } from "../data/database.js";

export function ToDatabase({ place, runs, run, tables, datasets, recipient }) {
  const beside = tables.every((table) => datasets[table]?.origin === "database");
  const copies = runs.filter((one) => isCopy(one) && one.asked.run === run.id);
  return html`<section class="panel" aria-labelledby="release-table">
    <${Fold} open=${beside || copies.length > 0} title=${html`<span id="release-table">${t(beside ? "release.table" : "release.database")}</span>`}>
      <div class="stack"><p class="note">${t(beside ? "release.table.note" : "release.database.note")}</p>
        <${Form} ...${{ place, tables, beside, recipient }} />
        ${copies.map((one) => html`<${Copy} key=${one.id} run=${one} />`)}</div>
    <//>
  </section>`;
}

/** One that is being written, or was: what became of it is said below it. */
function Copy({ run }) {
  const names = Object.values(run.asked.into).map((target) => target.table).join(", ");
  return html`<${Work} run=${run}>
    ${run.state === "done" && html`<${Notice} kind="good"><p>${t("release.table.done", { table: names })}</p><//>`}
    ${run.state === "failed" && html`<${ErrorNotice} error=${run.error} />`}
  <//>`;
}

function Form({ place, tables, beside, recipient }) {
  const [names, setNames] = useState({});
  const [said, setSaid] = useState({ schema: "", replace: false, other: !beside });
  const [to, setTo] = useState(startOf);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const set = (key) => (value) => setSaid((now) => ({ ...now, [key]: value }));
  const ready = tables.every((table) => names[table]?.trim()) && (!said.other || to.database);
  const send = async (event) => {
    event.preventDefault();
    if (!recipient.trim()) return askRecipient();
    setBusy(true);
    setError(null);
    const target = (table) => ({ table: names[table].trim(), schema: said.schema.trim() || null, replace: said.replace });
    const one = tables.length === 1 && tables[0] === "";
    const body = one ? target("") : { tables: Object.fromEntries(tables.map((table) => [table, target(table)])) };
    try {
      follow(await api.post(`${place}/table`, { ...body, to: recipient.trim(), ...(said.other ? { database: bodyOf(to) } : {}) }));
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  const places = [["", t("release.database.same")], ["other", t("release.database.other")]];
  return html`<form class="form" onSubmit=${send}>
    ${beside && html`<${SelectField} class="which" label=${t("release.database.which")} value=${said.other ? "other" : ""} options=${places} onChange=${(value) => set("other")(value === "other")} />`}
    ${said.other && html`<${Connection} to=${to} setTo=${setTo} />`}
    <div class="fields">
      ${tables.map((table) => html`<${TextField} key=${table} label=${table ? t("release.table.name.of", { table }) : t("release.table.name")} value=${names[table] ?? ""} onChange=${(name) => setNames((now) => ({ ...now, [table]: name }))} required autocomplete="off" />`)}
      <${TextField} label=${t("release.table.schema")} note=${t("release.table.schema.note")} value=${said.schema} onChange=${set("schema")} autocomplete="off" />
    </div>
    <${CheckField} label=${t("release.table.replace")} value=${said.replace} onChange=${set("replace")} />
    <div class="buttons"><${Button} type="submit" kind="primary" icon="data" busy=${busy} disabled=${!ready}>${t(tables.length > 1 ? "release.tables.write" : "release.table.write")}<//></div>
    <${ErrorNotice} error=${error} />
  </form>`;
}
