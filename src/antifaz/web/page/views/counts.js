// A table of counts or sums of a project's data: asked for, made as a job, looked at, and handed out.
import { api } from "../api.js";
import { html, useCallback, useEffect, useState } from "../html.js";
import { navigate } from "../router.js";
import { useStore } from "../store.js";
import { LinkButton } from "../components/button.js";
import { SelectField } from "../components/field.js";
import { ErrorNotice, Loading, Notice, announce } from "../components/notice.js";
import { Work } from "../components/work.js";
import { hasEnded, start, useRuns } from "../runs.js";
import { isSeveral, tableDocument, tableNames } from "../tables.js";
import { language, t, when } from "../words.js";
import { CountsForm } from "./counts/form.js";
import { TableMade } from "./counts/result.js";

export function CountsView({ id, table: named, meta }) {
  const tongue = useStore(language);
  const [project, setProject] = useState(null);
  const [datasets, setDatasets] = useState(null);
  const [error, setError] = useState(null);
  const load = useCallback(async () => {
    setError(null);
    try {
      const found = await api.get(`/projects/${id}`);
      const sets = Object.entries(found.datasets ?? {}).map(async ([name, own]) => [name, await api.get(`/datasets/${own}`).catch(() => null)]);
      setDatasets(Object.fromEntries(await Promise.all(sets)));
      setProject(found);
    } catch (problem) {
      setError(problem);
    }
  }, [id]);
  useEffect(() => void load(), [load, tongue]);
  useEffect(() => {
    document.title = `${t("counts.name")} · ${project?.name ?? "antifaz"}`;
  }, [project?.name, tongue]);
  if (!project) return error ? html`<div class="page narrow"><${ErrorNotice} error=${error} onRetry=${load} /></div>` : html`<${Loading} />`;
  const names = tableNames(project);
  const table = names.includes(named ?? "") ? (named ?? "") : names[0];
  return html`<div class="page">
    <nav class="project-head" aria-label=${t("counts.where")}>
      <a href="/">${t("app.projects")}</a><span aria-hidden="true">/</span><a class="project-name" href=${`/p/${id}/data`}>${project.name}</a><span aria-hidden="true">/</span><span>${t("counts.name")}</span>
    </nav>
    <header class="step-head"><h1 tabindex="-1">${t("counts.title")}</h1><p class="asked">${t("counts.asked")}</p><p class="why"><strong>${t("app.why")}</strong> ${t("counts.why")}</p></header>
    ${isSeveral(project) && html`<${SelectField} label=${t("counts.table")} value=${table} options=${names} onChange=${(name) => navigate(`/p/${id}/counts/${encodeURIComponent(name)}`)} />`}
    ${
      datasets[table]
        ? html`<${Counts} key=${table} ...${{ project, table, meta, dataset: datasets[table] }} />`
        : html`<${Notice} kind="info" actions=${html`<${LinkButton} small href=${`/p/${id}/data`}>${t("data.name")}<//>`}><p>${t("data.first")}</p><//>`
    }
  </div>`;
}

function Counts({ project, table, dataset, meta }) {
  const { runs, problem } = useRuns(project.id);
  const [chosen, setChosen] = useState(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const [to, setTo] = useState("");
  if (!runs) return problem ? html`<${ErrorNotice} error=${problem} />` : html`<${Loading} />`;
  const made = runs.filter((run) => run.kind === "tabulate" && (run.asked?.table ?? "") === table);
  const run = made.find((one) => one.id === chosen) ?? made[0];
  const make = async (tabulation) => {
    setBusy(true);
    setError(null);
    try {
      const begun = await start(project.id, { kind: "tabulate", tabulation, table: table || null });
      setChosen(begun.id);
      announce(t("counts.begun"));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const going = made.some((one) => !hasEnded(one));
  return html`<${CountsForm} ...${{ dataset, meta, attributes: tableDocument(project.document ?? {}, table).attributes ?? {}, begun: made[0]?.asked?.tabulation, busy: busy || going, onMake: make }} />
    <${ErrorNotice} error=${error} />
    ${made.length > 1 && html`<${SelectField} label=${t("counts.which")} value=${run.id} options=${made.map((one) => [one.id, `${when(one.queued)} · ${t(`run.state.${one.state}`)}`])} onChange=${setChosen} />`}
    ${run && run.state !== "done" && html`<${Work} key=${run.id} run=${run}>${hasEnded(run) && html`<p>${run.error?.message ?? run.message}</p>`}<//>`}
    ${run?.state === "done" && html`<${TableMade} key=${run.id} ...${{ run, to, setTo, fresh: run.id === chosen }} />`}`;
}
