// Step 1: choose the data, look at it, and correct how it was read.
import { api } from "../api.js";
import { html, useContext, useState } from "../html.js";
import { bytes, t, tn } from "../words.js";
import { Button, LinkButton } from "../components/button.js";
import { ErrorNotice, Notice, announce } from "../components/notice.js";
import { Proposal, StepFoot, StepHead, Tables } from "../components/steps.js";
import { TableName } from "../components/tables.js";
import { DataTable } from "../components/table.js";
import { Choose } from "./data/choose.js";
import { AddTable } from "./data/more_tables.js";
import { Reading } from "./data/reading.js";
import { RepeatedAttributes } from "./data/repeated.js";
import { Types } from "./data/types.js";

export default function DataStep({ project, save, go, meta, dataset, setDataset }) {
  const [changing, setChanging] = useState(false);
  const [version, setVersion] = useState(0);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);

  const chosen = async (found) => {
    setDataset(found);
    setChanging(false);
    announce(tn("data.opened", found.rows ?? 0));
    const names = new Set(found.columns.map((column) => column.name));
    const name = !tables.several && project.name.startsWith(t("home.new.name")) ? found.name.replace(/\.[a-z0-9]+$/i, "") : null;
    await save({
      dataset: found.id,
      document: (document) => {
        // What was said of columns that are not in these data would only be in the way.
        if (name) document.name = name;
        document.attributes = Object.fromEntries(
          Object.entries(document.attributes ?? {}).filter(([column]) => names.has(column)),
        );
      },
    });
    if (name) await rename(project.id, name).then(() => save({}), () => null);
    // The same file chosen again keeps its words for missing values, which no reader could find out.
    setDataset(await api.get(`/datasets/${found.id}`).catch(() => found));
  };
  const reread = async (options) => {
    setBusy(true);
    setError(null);
    try {
      setDataset(await api.patch(`/datasets/${dataset.id}`, { options }));
      setVersion(version + 1);
      // The project's text says from now on how its data is read.
      await save({}).catch(() => null);
      announce(t("data.reread"));
      return true;
    } catch (problem) {
      setError(problem);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const tables = useContext(Tables);
  const missing = project.dataset && !dataset;
  const choosing = !dataset || changing;
  return html`
    <${StepHead} step="data" term="data-set" />
    ${missing && html`<${Notice} kind="warning" title=${t("data.gone")}><p>${t("data.gone.text")}</p><//>`}
    ${
      choosing
        ? html`<${Choose} meta=${meta} source=${project.document?.source} onChosen=${chosen} onCancel=${changing ? () => setChanging(false) : null} />`
        : html`
        <${Summary} dataset=${dataset} go=${go} onChange=${() => setChanging(true)} />
        <${ErrorNotice} error=${error} />
        ${dataset.notes?.length > 0 && html`<${Notice} kind="info" title=${t("data.notes")}><ul class="bare">${dataset.notes.map((note) => html`<li>${note.message ?? note}</li>`)}</ul><//>`}
        <div class="stack">
          <h2>${t("data.preview")}</h2>
          <${DataTable} label=${t("data.preview")} total=${dataset.rows} version=${`${dataset.id}.${version}`} sortable
            columns=${dataset.columns.map((column) => ({ name: column.name, note: t(`type.${column.type}`), class: ["integer", "decimal"].includes(column.type) ? "number" : "" }))}
            fetch=${(start, count, sort, descending) => api.get(`/datasets/${dataset.id}/rows?start=${start}&count=${count}${sort ? `&sort=${encodeURIComponent(sort)}&descending=${descending ? 1 : 0}` : ""}`)} />
        </div>
        <section class="panel"><details><summary>${t("data.reading")}</summary><${Reading} dataset=${dataset}
          busy=${busy} onChange=${reread} /></details></section>
        <section class="panel"><details><summary>${t("data.types")}</summary><${Types} dataset=${dataset} busy=${busy}
          onChange=${(column, type) => reread({ ...dataset.options, types: { ...(dataset.options?.types ?? {}), [column]: type } })} /></details></section>
      `
    }
    ${tables.several && html`<${TableName} key=${tables.table} />`}
    ${tables.several && html`<${RepeatedAttributes} meta=${meta} />`}
    ${dataset && !changing && html`<${AddTable} meta=${meta} />`}
    ${dataset && !changing && html`<section class="panel" aria-labelledby="data-counts"><div class="panel-head"><div><h2 id="data-counts">${t("data.counts")}</h2><p class="note">${t("data.counts.text")}</p></div>
      <${LinkButton} href=${`/p/${project.id}/counts${tables.table ? `/${encodeURIComponent(tables.table)}` : ""}`}>${t("data.counts.open")}<//></div></section>`}
    <${StepFoot} step="data" go=${go} disabled=${!dataset} why=${t("data.first")} />
  `;
}

// Called as the data is; a number is added where another project has that name.
async function rename(id, name) {
  for (let number = 1; number < 100; number++) {
    try {
      return await api.patch(`/projects/${id}`, { name: number === 1 ? name : `${name} ${number}` });
    } catch (problem) {
      if (problem.code !== "taken") throw problem;
    }
  }
  return null;
}

function Summary({ dataset, go, onChange }) {
  const facts = [tn("data.rows", dataset.rows ?? 0), tn("data.columns", dataset.columns.length)];
  if (dataset.bytes) facts.push(bytes(dataset.bytes));
  return html`<${Proposal} title=${t("data.right")} yes=${t("data.right.yes")} onTake=${() => go("roles")}>
    <p><strong>${dataset.name}</strong> · ${facts.join(" · ")} · ${t(`data.origin.${dataset.origin}`)}</p>
    <div class="buttons"><${Button} small onClick=${onChange}>${t("data.other")}<//></div>
  <//>`;
}
