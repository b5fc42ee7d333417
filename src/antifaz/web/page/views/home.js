// Where one begins: the example, a new project, the projects there are, and what is running.
import { api } from "../api.js";
import { html, useCallback, useEffect, useRef, useState } from "../html.js";
import { navigate } from "../router.js";
import { language, number, t, tn, when } from "../words.js";
import { imported, useStore } from "../store.js";
import { Button, IconButton, LinkButton } from "../components/button.js";
import { Confirm } from "../components/dialog.js";
import { TextField } from "../components/field.js";
import { Help } from "../components/help.js";
import { Icon } from "../components/icon.js";
import { ErrorNotice, Loading, ProgressBar, announce } from "../components/notice.js";
import { wantedText } from "../components/which.js";
import { DeleteSeveral, EraseAll } from "./home/erasing.js";

export function Home() {
  useStore(language);
  const [projects, setProjects] = useState(null);
  const [runs, setRuns] = useState([]);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState("");
  const [asked, setAsked] = useState(null);
  const [picked, setPicked] = useState(new Set());
  const pick = (id) => setPicked((now) => new Set(now.has(id) ? [...now].filter((one) => one !== id) : [...now, id]));

  const load = useCallback(async () => {
    try {
      const [found, going] = await Promise.all([api.get("/projects"), api.get("/runs").catch(() => [])]);
      setProjects(listed(found, "projects").filter((project) => !project.untouched));
      setRuns(listed(going, "runs").filter((run) => run.state === "queued" || run.state === "running"));
    } catch (problem) {
      setError(problem);
    }
  }, []);
  useEffect(() => {
    document.title = `${t("app.projects")} · antifaz`;
    load();
  }, [load]);
  useEffect(() => {
    if (!runs.length) return;
    const timer = setTimeout(load, 1500);
    return () => clearTimeout(timer);
  }, [runs, load]);

  const begin = async (name, make) => {
    setBusy(name);
    setError(null);
    try {
      const made = await make();
      imported.set(made.notes?.length ? { id: made.id, notes: made.notes } : null);
      navigate(`/p/${made.id}/${made.step ?? "data"}`);
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy("");
    }
  };
  return html`<div class="page">
    <header class="hero">
      <h1>${t("home.title")}</h1>
      <p class="asked">${t("home.text")}</p>
    </header>
    <${ErrorNotice} error=${error} onRetry=${load} />
    <section class="starts" aria-label=${t("home.start")}>
      <${Start} icon="wand" title=${t("home.example.title")} text=${t("home.example.text")}>
        <${Button} kind="primary" icon="play" busy=${busy === "example"}
          onClick=${() => begin("example", () => api.post("/projects/example"))}>${t("home.example")}<//>
      <//>
      <${Start} icon="data" title=${t("home.new.title")} text=${t("home.new.text")}>
        <${Button} icon="add" busy=${busy === "new"}
          onClick=${() => begin("new", fresh)}>${t("home.new")}<//>
      <//>
      <${Start} icon="file" title=${t("home.file.title")} text=${t("home.file.text")}>
        <${FromFile} busy=${busy === "file"}
          onFile=${(file) => begin("file", async () => api.post("/projects", { name: await unused(file.name.replace(/\.(ya?ml|json)$/i, "")), yaml: await file.text() }))} />
      <//>
    </section>
    ${
      runs.length > 0 &&
      html`<section class="panel" aria-labelledby="going"><h2 id="going">${t("home.running")}</h2>
      <ul class="lines">${runs.map(
        (run) => html`<li key=${run.id}>
        <a
          href=${`/runs/${run.id}`}>${projects?.find((project) => project.id === run.project)?.name ?? t("home.run", { number: run.number })}</a>
        <span class="note">${t(`home.state.${run.state}`)}${run.message ? ` · ${run.message}` : ""}</span>
        <${ProgressBar} share=${run.state === "queued" ? 0 : run.share} label=${t("home.running")} />
      </li>`,
      )}</ul>
    </section>`
    }
    <section aria-labelledby="projects" class="stack">
      <div class="panel-head"><h2 id="projects">${t("home.projects")}<${Help} term="project" /></h2>
        ${projects?.length > 1 && html`<div class="buttons">
          <${Button} small onClick=${() => setPicked(new Set(picked.size < projects.length ? projects.map((project) => project.id) : []))}>${t(picked.size < projects.length ? "home.pick.all" : "roles.pick.none")}<//>
          <${Button} small icon="bin" disabled=${!picked.size} onClick=${() => setAsked({ kind: "several", chosen: projects.filter((project) => picked.has(project.id)) })}>${t("home.several", { count: picked.size })}<//>
        </div>`}</div>
      ${projects === null && !error && html`<${Loading} />`}
      ${projects?.length === 0 && html`<p class="empty">${t("home.none")}</p>`}
      ${projects?.length > 0 && html`<ul class="projects">${projects.map((project) => html`<${ProjectCard} key=${project.id} project=${project} ask=${setAsked} picked=${picked.has(project.id)} onPick=${projects.length > 1 && (() => pick(project.id))} />`)}</ul>`}
    </section>
    ${projects && html`<${EraseAll} projects=${projects} onDone=${load} />`}
    <${Asked} asked=${asked?.kind === "several" ? null : asked} projects=${projects} onClose=${() => setAsked(null)} onDone=${load} />
    ${asked?.kind === "several" && html`<${DeleteSeveral} projects=${asked.chosen} onClose=${() => setAsked(null)} onDone=${async () => { setPicked(new Set()); await load(); }} />`}
  </div>`;
}

// No two projects have the same name: a second one gets a number.
function free(name, projects) {
  const taken = new Set((projects ?? []).map((project) => project.name));
  let found = name;
  for (let number = 2; taken.has(found); number++) found = `${name} ${number}`;
  return found;
}

// The same by the list as it is now: another tab or the command line may have added to it.
const unused = async (name) => free(name, listed(await api.get("/projects"), "projects"));

/** A project to begin with: one that somebody began and left as it was is taken again. */
async function fresh() {
  const known = listed(await api.get("/projects"), "projects");
  return known.find((project) => project.untouched) ?? api.post("/projects", { name: free(t("home.new.name"), known), document: { antifaz: 1 } });
}

const listed = (answer, key) => (Array.isArray(answer) ? answer : (answer?.[key] ?? []));

function Start({ icon, title, text, children }) {
  return html`<div class="panel start"><div class="start-icon"><${Icon} name=${icon} size=${26} /></div><h2>${title}</h2><p>${text}</p><div class="buttons">${children}</div></div>`;
}

function FromFile({ busy, onFile }) {
  const input = useRef(null);
  const chosen = (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file) onFile(file);
  };
  return html`<input ref=${input} type="file" accept=".yaml,.yml,.json" class="unseen" tabindex="-1" aria-hidden="true" onChange=${chosen} />
    <${Button} icon="upload" busy=${busy} onClick=${() => input.current.click()}>${t("home.file")}<//>`;
}

function ProjectCard({ project, ask, picked, onPick }) {
  const runs = project.runs?.length ?? 0;
  const last = project.runs?.[0]; // the newest is the first
  return html`<li class="panel project-card">
    ${onPick && html`<input type="checkbox" class="pick" checked=${picked} onChange=${onPick} aria-label=${t("roles.pick", { column: project.name })} />`}
    <div class="project-card-text">
      <h3><a href=${`/p/${project.id}/${project.step ?? "data"}`}>${project.name}</a></h3>
      <p class="note">${t("home.changed", { when: when(project.changed) })} · ${tn("home.runs", runs)}
        ${last && html` · <span class=${`badge ${{ done: "good", failed: "bad", interrupted: "warning" }[last.state] ?? ""}`}>${t(`home.state.${last.state}`)}</span> ${wantedText(last)}`}</p>
    </div>
    <div class="buttons">
      <${LinkButton} small kind="primary" href=${`/p/${project.id}/${project.step ?? "data"}`}
        aria-label=${t("home.open.what", { what: project.name })}>${t("home.open")}<//>
      <${IconButton} icon="pencil" label=${t("home.rename.what", { what: project.name })}
        onClick=${() => ask({ kind: "rename", project })} />
      <${IconButton} icon="copy" label=${t("home.copy.what", { what: project.name })}
        onClick=${() => ask({ kind: "copy", project })} />
      <a class="button icon-only quiet" href=${api.url(`/projects/${project.id}/file`)} download
        aria-label=${t("home.download.what", { what: project.name })}
        title=${t("home.download.what", { what: project.name })}><${Icon} name="download" size=${18} /></a>
      <${IconButton} icon="bin" label=${t("home.delete.what", { what: project.name })}
        onClick=${() => ask({ kind: "delete", project })} />
    </div>
  </li>`;
}

// The questions asked before a project is renamed, copied or deleted.
function Asked({ asked, projects, onClose, onDone }) {
  const [name, setName] = useState("");
  useEffect(() => {
    if (asked) setName(asked.kind === "copy" ? free(t("home.copy.of", { name: asked.project.name }), projects) : asked.project.name);
  }, [asked]);
  if (!asked) return null;
  const { kind, project } = asked;
  const acts = {
    rename: () => api.patch(`/projects/${project.id}`, { name }),
    copy: () => api.post(`/projects/${project.id}/copy`, { name }),
    delete: () => api.del(`/projects/${project.id}`),
  };
  const act = async () => {
    await acts[kind]();
    announce(t(`home.${kind}.done`));
    await onDone();
  };
  return html`<${Confirm} open title=${t(`home.${kind}.what`, { what: project.name })} yes=${t(`home.${kind}`)} danger=${kind === "delete"} disabled=${!name.trim()} act=${act} onClose=${onClose}>
    ${kind === "delete" ? html`<p>${t("home.delete.text", { runs: number(project.runs?.length ?? 0) })}</p>` : html`<${TextField} label=${t("home.name")} value=${name} onChange=${setName} maxlength="200" required />`}
  <//>`;
}
