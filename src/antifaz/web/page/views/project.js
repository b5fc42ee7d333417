// One project: holds it, saves what the steps change, and shows the step that the address names.
import { api } from "../api.js";
import { html, useCallback, useEffect, useRef, useState } from "../html.js";
import { navigate } from "../router.js";
import { connection, imported, useStore } from "../store.js";
import { language, t } from "../words.js";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { ErrorNotice, Loading, Notice, ProgressBar } from "../components/notice.js";
import { StepList, Tables, answeredSteps, isOfTable, openSteps, placeOfStep, stepOf, viewOf } from "../components/steps.js";
import { TableTabs } from "../components/tables.js";
import { Waiting } from "../components/work.js";
import { hasEnded, isVerified, kindTitle, placeOf, useRuns } from "../runs.js";
import { isSeveral, tableNames, tableProject, tableSave } from "../tables.js";

// Other tabs of this browser that may show the same project.
const others = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("antifaz.projects");

export function ProjectView({ id, step, table: asked, meta }) {
  const { project, datasets, setDatasets, error, state, elsewhere, save, load, refresh, take } = useProject(id);
  const { runs, told } = useRuns(id);
  const current = stepOf(step, project);
  const names = project ? tableNames(project) : [""];
  const table = names.includes(asked ?? "") ? (asked ?? "") : names[0];
  const notes = useStore(imported);

  const to = useCallback((next, name) => navigate(`/p/${id}/${next}${name ? `/${encodeURIComponent(name)}` : ""}`), [id]);
  const go = useCallback(
    (next) => {
      if (placeOfStep(next) > placeOfStep(project?.step)) save({ step: next }).catch(() => null);
      to(next, isOfTable(next) ? names[0] : "");
    },
    [id, project?.step, save, names[0]],
  );
  // What is asked of each table is asked of all before the next step.
  const following = isOfTable(current) ? names[names.indexOf(table) + 1] : undefined;
  const onward = (next) => (following && placeOfStep(next) === placeOfStep(current) + 1 ? to(current, following) : go(next));
  useEffect(() => {
    if (project && step !== current) navigate(`/p/${id}/${current}`, { replace: true });
  }, [project, step, current]);
  // What is open further on, and what is out of date, depends on the runs that are done.
  useEffect(() => { if (told) refresh(); }, [told]);
  useEffect(() => {
    document.title = project ? `${t(`${current}.name`)} · ${project.name} · antifaz` : "antifaz";
  }, [current, table, project?.name]);

  if (!project)
    return error
      ? html`<div class="page narrow"><${ErrorNotice} error=${error} onRetry=${load} /><a href="/">${t("app.projects")}</a></div>`
      : html`<${Loading} />`;
  const Step = viewOf(current);
  const several = isSeveral(project);
  const tables = { several, names, table, following, datasets, whole: project, save, take, to: (name) => to(current, name) };
  const setDataset = (found) => setDatasets((now) => ({ ...now, [table]: found }));
  return html`<div class="project">
    <div class="project-head">
      <a href="/">${t("app.projects")}</a><span aria-hidden="true">/</span><span class="project-name">${project.name}</span>
      <${Saved} state=${state} />
    </div>
    ${current !== "run" && html`<${Going} runs=${runs} />`}
    <${StepList} current=${current} done=${answered(project)} open=${reachable(project, datasets, runs)} go=${go} />
    <div class="step">
      ${elsewhere && html`<${Notice} kind="warning" title=${t("app.elsewhere")} actions=${html`<${Button} small onClick=${load}>${t("app.elsewhere.show")}<//>`}><p>${t("app.elsewhere.text")}</p><//>`}
      <${ErrorNotice} error=${error} />
      ${notes?.id === id && html`<${Notice} kind="info" title=${t("home.imported")} actions=${html`<${Button} small onClick=${() => imported.set(null)}>${t("app.close")}<//>`}><ul class="bare">${notes.notes.map((note) => html`<li>${note}</li>`)}</ul><//>`}
      <${Tables.Provider} value=${tables}>
        ${several && isOfTable(current) && html`<${TableTabs} step=${current} />`}
        <${Step} key=${`${current}/${table}`} project=${tableProject(project, table)} save=${tableSave(save, table)} go=${onward} meta=${meta}
          dataset=${datasets[table] ?? null} setDataset=${setDataset} reload=${load} />
      <//>
    </div>
  </div>`;
}

/** What is at work, in sight from every step. */
function Going({ runs }) {
  const [run] = (runs ?? []).filter((one) => !hasEnded(one));
  if (!run) return null;
  return html`<aside class="going" aria-label=${t("home.running")}>
    <a href=${placeOf(run)}>${kindTitle(run)}</a><${ProgressBar} share=${run.state === "queued" ? 0 : run.share} label=${kindTitle(run)} />
    <${Waiting} run=${run} />
  </aside>`;
}

function Saved({ state }) {
  const [icon, words] =
    { saving: ["wait", "app.saving"], saved: ["check", "app.saved"], waiting: ["warning", "app.waiting"] }[state] ?? [];
  return icon ? html`<span class="note saved"><${Icon} name=${icon} size=${16} /> ${t(words)}</span>` : null;
}

// The project and the data sets of its tables. What is changed shows at once and is put one after another.
function useProject(id) {
  const [project, setProject] = useState(null);
  const [datasets, setDatasets] = useState({});
  const [error, setError] = useState(null);
  const [state, setState] = useState("");
  const [elsewhere, setElsewhere] = useState(false);
  const held = useRef({ project: null, line: Promise.resolve(), unsaved: null });
  const up = useStore(connection) === "up";

  const show = (next) => {
    held.current.project = next;
    setProject(next);
  };
  // Show a project as the server says it, with its data sets.
  const take = useCallback(async (found) => {
    const names = Object.keys(found.datasets ?? {});
    const sets = await Promise.all(names.map((name) => api.get(`/datasets/${found.datasets[name]}`).catch(() => null)));
    setDatasets(Object.fromEntries(names.map((name, at) => [name, sets[at]])));
    show(found);
  }, []);
  const load = useCallback(async () => {
    setError(null);
    setState("");
    setElsewhere(false);
    held.current.unsaved = null;
    try {
      await take(await api.get(`/projects/${id}`));
    } catch (problem) {
      setError(problem);
    }
  }, [id]);

  // What the server says by now, once what was changed here has arrived there.
  const refresh = useCallback(() => held.current.line.then(() => held.current.unsaved || load()), [load]);

  const put = useCallback(() => {
    const next = held.current.line.then(async () => {
      const patch = held.current.unsaved;
      if (!patch) return held.current.project;
      held.current.unsaved = null;
      setState("saving");
      try {
        const answer = await api.put(`/projects/${id}`, patch);
        others?.postMessage({ id, changed: answer.changed });
        // What was changed while this was on its way stays on top.
        show({ ...answer, ...(held.current.unsaved ?? {}) });
        setState("saved");
        setError(null);
        return answer;
      } catch (problem) {
        // What was refused would be refused again; what never arrived is sent when the server is back.
        if (problem.code === "lost") held.current.unsaved = { ...patch, ...(held.current.unsaved ?? {}) };
        setState(problem.code === "lost" ? "waiting" : "");
        // Whoever sent a text says below it what is wrong with it.
        if (problem.code !== "lost" && patch.yaml === undefined) setError(problem);
        throw problem;
      }
    });
    held.current.line = next.catch(() => null);
    return next;
  }, [id]);
  const save = useCallback(
    (patch) => {
      const now = held.current.project;
      const changed = { ...patch };
      if (typeof patch.document === "function") {
        const copy = structuredClone(now.document ?? {});
        changed.document = patch.document(copy) ?? copy;
      }
      if (patch.datasets) changed.datasets = { ...now.datasets, ...patch.datasets };
      if (changed.document !== undefined) changed.yaml = undefined;
      if (changed.document === undefined) delete changed.document;
      held.current.unsaved = { ...(held.current.unsaved ?? {}), ...changed };
      show({ ...now, ...changed });
      return put();
    },
    [put],
  );

  const tongue = useStore(language);
  useEffect(() => void load(), [load, tongue]); // what the server says, it says in the language shown
  useEffect(() => {
    if (up && held.current.unsaved) put().catch(() => null);
  }, [up]);
  useEffect(() => {
    // The last save wins; a tab that shows something older says so.
    const hear = (event) =>
      event.data?.id === id && event.data.changed !== held.current.project?.changed && setElsewhere(true);
    const look = async () => {
      if (document.hidden || held.current.unsaved || !held.current.project) return;
      const found = await api.get(`/projects/${id}`).catch(() => null);
      if (found && !held.current.unsaved && found.changed !== held.current.project.changed) setElsewhere(true);
    };
    others?.addEventListener("message", hear);
    document.addEventListener("visibilitychange", look);
    return () => {
      others?.removeEventListener("message", hear);
      document.removeEventListener("visibilitychange", look);
    };
  }, [id]);
  useEffect(() => {
    const warn = (event) => held.current.unsaved && event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, []);
  return { project, datasets, setDatasets, error, state, elsewhere, save, load, refresh, take };
}

function answered(project) {
  // What was run with other settings answers nothing any more.
  return answeredSteps(project, (project.runs ?? []).some((run) => run.kind === "run" && run.state === "done" && !run.outdated));
}

function reachable(project, datasets, runs) {
  const data = tableNames(project).every((name) => datasets[name]);
  const released = (project.runs ?? []).some((run) => run.kind === "run" && run.state === "done") || runs?.some(isVerified);
  return openSteps({ data, runs: project.runs?.length > 0, released });
}
