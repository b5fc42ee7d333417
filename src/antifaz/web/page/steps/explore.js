// Step 6: see what came out, and for full-domain choose another of what would do.
import { Candidates } from "../components/candidates.js";
import { Chart } from "../components/chart.js";
import { classChart, sizesOf } from "../components/charts/classes.js";
import { ErrorNotice, Loading } from "../components/notice.js";
import { StepFoot, StepHead, Tables } from "../components/steps.js";
import { DataTable } from "../components/table.js";
import { InTable } from "../components/tables.js";
import { NothingYet, Outdated, Which } from "../components/which.js";
import { api } from "../api.js";
import { html, useContext, useMemo, useState } from "../html.js";
import { doneOf, isVerified, useChosen, useFetched, useResult, useRuns } from "../runs.js";
import { ofTable, partOf } from "../tables.js";
import { language, t } from "../words.js";
import { AllMethods } from "./explore/frontier.js";
import { Live } from "./explore/live.js";
import { choosesLevels } from "./run.js";

/** Whether there is something to search: quasi-identifiers, and models that must hold. */
const isComplete = ({ document }) => document?.kind !== "light" && document?.privacy?.length > 0 && Object.values(document?.attributes ?? {}).some((said) => said?.role === "quasi-identifier");

export default function ExploreStep({ project, go, dataset, save, meta }) {
  const { table, whole } = useContext(Tables);
  const { runs, problem } = useRuns(project.id);
  const { done, chosen, choose } = useChosen(project.id, runs);
  const full = choosesLevels(whole, meta);
  const nothing = runs && !chosen && !(full && doneOf(runs, "candidates").length);
  return html`<section class="step">
    <${StepHead} step="explore" term=${full ? "lattice" : undefined} />
    <${ErrorNotice} error=${problem} />
    ${!runs && html`<${Loading} />`}
    ${nothing && !full && html`<${NothingYet} go=${go} />`}
    ${runs && dataset && isComplete(project) && html`<${Live} key=${table} ...${{ project, table, save, meta, onStarted: (run) => choose(run.id) }} />
      <${AllMethods} ...${{ project, whole, table, runs, save, meta, dataset }} />`}
    ${runs && full && html`<${Candidates} ...${{ project, runs, dataset, onApplied: (run) => choose(run.id) }} />`}
    <${Which} ...${{ done, chosen, choose }} />
    <${Outdated} run=${chosen} project=${whole} go=${go} />
    ${chosen && html`<${Released} key=${chosen.id} ...${{ run: chosen, dataset, project, table }} />`}
    <${StepFoot} step="explore" go=${go} disabled=${!chosen && !runs?.some(isVerified)} why=${t("explore.first")} />
  </section>`;
}

function Released({ run, dataset, project, table }) {
  const { value: found, problem } = useFetched(`/runs/${run.id}/release`);
  const { value: result } = useResult(run);
  if (problem) return html`<${ErrorNotice} error=${problem} />`;
  if (!found) return html`<${Loading} />`;
  const release = partOf(found, table);
  if (!release) return null;
  const evidence = result && (result.tables?.[table] ?? result);
  return html`${release.file
    ? html`<${SideBySide} ...${{ run, release, dataset, project, table }} />`
    : html`<${InTable} table=${release.table} />`}<${Classes} ...${{ release, evidence }} />`;
}

/** Two tables; rows can't be paired, and the page says why. */
function SideBySide({ run, release, dataset, project, table }) {
  const [only, setOnly] = useState("both");
  const roles = project.document?.attributes ?? {};
  const named = (name) => ({ name, note: roles[name]?.role ? t(`explore.role.${roles[name].role}`) : undefined });
  const columns = useMemo(() => release.columns.map((column) => named(column.name ?? column)), [release]);
  // What both tables have comes first, so that the same columns lie side by side.
  const original = useMemo(() => {
    const names = dataset?.columns.map((column) => column.name) ?? [];
    const both = columns.map((column) => column.name).filter((name) => names.includes(name));
    return [...both, ...names.filter((name) => !both.includes(name))].map(named);
  }, [dataset, columns]);
  const before = async (start, count, sort, descending) => {
    const sorted = sort ? `&sort=${encodeURIComponent(sort)}&descending=${descending ? 1 : 0}` : "";
    const found = await api.get(`/datasets/${dataset.id}/rows?start=${start}&count=${count}${sorted}`);
    const places = original.map((column) => found.columns.indexOf(column.name));
    return { ...found, rows: found.rows.map((row) => places.map((place) => row[place])) };
  };
  const after = (start, count) => api.get(`/runs/${run.id}/release/rows?start=${start}&count=${count}${ofTable(table)}`);
  const tab = (name) => html`<button type="button" role="radio" aria-checked=${only === name} class=${`segment${only === name ? " is-on" : ""}`} onClick=${() => setOnly(name)}>${t(`explore.show.${name}`)}</button>`;
  return html`<section class="panel" aria-labelledby="explore-tables">
    <div class="panel-head"><h2 id="explore-tables">${t("explore.tables")}</h2>
      ${dataset && html`<div class="segments" role="radiogroup" aria-label=${t("explore.show")}>${tab("both")}${tab("original")}${tab("released")}</div>`}</div>
    <p class="note">${t("explore.unpaired")}</p>
    <div class=${`beside is-${dataset ? only : "released"}`}>
      ${dataset && only !== "released" && html`<div class="beside-one"><h3>${t("explore.original")}</h3>
        <${DataTable} key=${dataset.id} label=${t("explore.original")} total=${dataset.rows} columns=${original} fetch=${before} sortable /></div>`}
      ${(only !== "original" || !dataset) && html`<div class="beside-one"><h3>${t("explore.released")}</h3>
        <${DataTable} key=${run.id} label=${t("explore.released")} total=${release.rows} columns=${columns} fetch=${after} /></div>`}
    </div>
  </section>`;
}

function Classes({ release, evidence }) {
  const words = { before: t("explore.before"), after: t("explore.after"), size: t("explore.size") };
  const chart = useMemo(
    () => classChart(sizesOf(evidence?.classes?.before?.sizes), sizesOf(release.class_sizes ?? evidence?.classes?.after?.sizes), words),
    [release, evidence, language.get()],
  );
  if (!chart.table.rows.length) return null;
  return html`<section class="panel"><${Chart} title=${t("explore.classes")} description=${t("explore.classes.note")} ...${chart} /></section>`;
}

