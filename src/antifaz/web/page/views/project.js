// One project: holds it, saves what the steps change, and shows the step that the address names.
import { api } from "../api.js";
import { html, useCallback, useEffect, useRef, useState } from "../html.js";
import { navigate } from "../router.js";
import { connection, imported, useStore } from "../store.js";
import { t } from "../words.js";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { lazy } from "../components/lazy.js";
import { ErrorNotice, Loading, Notice } from "../components/notice.js";
import { STEPS, StepList } from "../components/steps.js";

const steps = {
  data: lazy(() => import("../steps/data.js")),
  roles: lazy(() => import("../steps/roles.js")),
  hierarchies: lazy(() => import("../steps/hierarchies.js")),
  privacy: lazy(() => import("../steps/privacy.js")),
  run: lazy(() => import("../steps/run.js")),
  explore: lazy(() => import("../steps/explore.js")),
  judge: lazy(() => import("../steps/judge.js")),
  release: lazy(() => import("../steps/release.js")),
  finish: lazy(() => import("../steps/finish.js")),
};

// Other tabs of this browser that may show the same project.
const others = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("antifaz.projects");

export function ProjectView({ id, step, meta }) {
  const { project, dataset, setDataset, error, state, elsewhere, save, load } = useProject(id);
  const current = STEPS.includes(step) ? step : (project?.step ?? "data");
  const body = useRef(null);
  const notes = useStore(imported);

  const go = useCallback(
    (next) => {
      const further = STEPS.indexOf(next) > STEPS.indexOf(project?.step ?? "data");
      if (further) save({ step: next }).catch(() => null);
      navigate(`/p/${id}/${next}`);
    },
    [id, project?.step, save],
  );
  useEffect(() => {
    if (project && step !== current) navigate(`/p/${id}/${current}`, { replace: true });
  }, [project, step, current]);
  useEffect(() => {
    document.title = project ? `${t(`${current}.name`)} · ${project.name} · antifaz` : "antifaz";
    body.current?.querySelector("h1")?.focus({ preventScroll: true });
  }, [current, project?.name]);

  if (!project)
    return error
      ? html`<div class="page narrow"><${ErrorNotice} error=${error} onRetry=${load} /><a href="/">${t("app.projects")}</a></div>`
      : html`<${Loading} />`;
  const Step = steps[current];
  return html`<div class="project">
    <div class="project-head">
      <a href="/">${t("app.projects")}</a><span aria-hidden="true">/</span><span class="project-name">${project.name}</span>
      <${Saved} state=${state} />
    </div>
    <${StepList} current=${current} done=${answered(project)} open=${reachable(project, dataset)} go=${go} />
    <div class="step" ref=${body}>
      ${elsewhere && html`<${Notice} kind="warning" title=${t("app.elsewhere")} actions=${html`<${Button} small onClick=${load}>${t("app.elsewhere.show")}<//>`}><p>${t("app.elsewhere.text")}</p><//>`}
      <${ErrorNotice} error=${error} />
      ${notes?.id === id && html`<${Notice} kind="info" title=${t("home.imported")} actions=${html`<${Button} small onClick=${() => imported.set(null)}>${t("app.close")}<//>`}><ul class="bare">${notes.notes.map((note) => html`<li>${note}</li>`)}</ul><//>`}
      <${Step} key=${current} project=${project} save=${save} go=${go} meta=${meta} dataset=${dataset}
        setDataset=${setDataset} reload=${load} />
    </div>
  </div>`;
}

function Saved({ state }) {
  const [icon, words] =
    { saving: ["wait", "app.saving"], saved: ["check", "app.saved"], waiting: ["warning", "app.waiting"] }[state] ?? [];
  return icon ? html`<span class="note saved"><${Icon} name=${icon} size=${16} /> ${t(words)}</span>` : null;
}

// The project and its data set. What is changed shows at once and is put one after another.
function useProject(id) {
  const [project, setProject] = useState(null);
  const [dataset, setDataset] = useState(null);
  const [error, setError] = useState(null);
  const [state, setState] = useState("");
  const [elsewhere, setElsewhere] = useState(false);
  const held = useRef({ project: null, line: Promise.resolve(), unsaved: null });
  const up = useStore(connection) === "up";

  const show = (next) => {
    held.current.project = next;
    setProject(next);
  };
  const load = useCallback(async () => {
    setError(null);
    setState("");
    setElsewhere(false);
    held.current.unsaved = null;
    try {
      const found = await api.get(`/projects/${id}`);
      show(found);
      setDataset(found.dataset ? await api.get(`/datasets/${found.dataset}`).catch(() => null) : null);
    } catch (problem) {
      setError(problem);
    }
  }, [id]);

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
      if (changed.document !== undefined) changed.yaml = undefined;
      if (changed.document === undefined) delete changed.document;
      held.current.unsaved = { ...(held.current.unsaved ?? {}), ...changed };
      show({ ...now, ...changed });
      return put();
    },
    [put],
  );

  useEffect(() => void load(), [load]);
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
  return { project, dataset, setDataset, error, state, elsewhere, save, load };
}

function answered(project) {
  const reached = STEPS.indexOf(project.step ?? "data");
  const ran = (project.runs ?? []).some((run) => run.kind === "run" && run.state === "done");
  return STEPS.filter((name, index) => (index < reached && (index < 4 || ran)) || (name === "run" && ran));
}

function reachable(project, dataset) {
  if (!dataset) return project.runs?.length ? ["data", "run", "explore", "judge", "release", "finish"] : ["data"];
  const ran = (project.runs ?? []).some((run) => run.kind === "run" && run.state === "done");
  return ran ? STEPS : STEPS.filter((name) => !["judge", "release"].includes(name));
}
