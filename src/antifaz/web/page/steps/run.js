// Step 5: do the work, and see how far it is.
import { Button } from "../components/button.js";
import { ErrorNotice, Loading, Notice, announce } from "../components/notice.js";
import { Remedy } from "../components/remedy.js";
import { Proposal, StepFoot, StepHead, Tables } from "../components/steps.js";
import { Work } from "../components/work.js";
import { choiceLabel, parameterLabel, problemText, titleOf } from "../declared.js";
import { html, useContext, useEffect, useState } from "../html.js";
import { doneOf, hasEnded, isCopy, isOutdated, start, useRuns } from "../runs.js";
import { isSeveral, tableDocument } from "../tables.js";
import { number, t, tn } from "../words.js";

export default function RunStep({ go, meta }) {
  const { names, datasets, whole: project, save } = useContext(Tables);
  const dataset = names.every((name) => datasets[name]);
  const { runs: all, problem, told } = useRuns(project.id);
  const runs = all?.filter((run) => run.kind !== "tabulate"); // tables of counts are on a page of their own
  const [busy, setBusy] = useState("");
  const [error, setError] = useState(null);
  const missing = project.problems ?? [];
  const full = choosesLevels(project, meta);
  const begin = async (kind) => {
    setBusy(kind);
    setError(null);
    try {
      await start(project.id, { kind });
      announce(t("run.begun"));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy("");
    }
  };
  useEffect(() => {
    if (told) announce(told.said);
  }, [told]);
  const released = doneOf(runs, "run").some((run) => !isOutdated(run, project));
  return html`<section class="step">
    <${StepHead} step="run" />
    ${missing.length > 0 && html`<${Missing} problems=${missing} />`}
    ${!dataset && html`<${Notice} kind="warning" actions=${html`<${Button} small onClick=${() => go("data")}>${t("run.chooseData")}<//>`}><p>${t("run.noData")}</p><//>`}
    <${Proposal} title=${t("run.proposal")} yes=${t(released ? "run.again" : "run.start")} busy=${busy === "run" || runs?.some((run) => run.kind === "run" && !hasEnded(run))} taken=${released}
        onTake=${missing.length || !dataset ? undefined : () => begin("run")}>
      ${names.map((name) => html`<p key=${name}>${name && html`<strong>${name}:</strong> `}${summary(tableDocument(project.document ?? {}, name), datasets[name], meta)}</p>`)}
      <p class="note">${t("run.proposal.note")}</p>
    <//>
    ${runs?.some((run) => !hasEnded(run)) && html`<${Jobs} ...${{ runs: runs.filter((run) => !hasEnded(run)), project, save, go }} />`}
    ${full && html`<div class="panel choose-yourself">
      <div class="panel-head"><div><h2>${t("run.candidates")}</h2><p class="note">${t("run.candidates.note")}</p></div>
        <${Button} icon="play" busy=${busy === "candidates"} disabled=${missing.length > 0 || !dataset} onClick=${() => begin("candidates")}>${t("run.candidates.start")}<//></div>
    </div>`}
    <${ErrorNotice} error=${error ?? problem} />
    <${Jobs} ...${{ runs: runs?.filter(hasEnded), going: runs?.some((run) => !hasEnded(run)), project, save, go, told }} />
    <${StepFoot} step="run" go=${go} disabled=${!runs?.some((run) => run.state === "done")} why=${t("run.first")} />
  </section>`;
}

/** Whether levels are chosen, so that candidates can be listed: by the method, or by one that it tries. */
export function choosesLevels(project, meta) {
  const { capabilities } = methodOf(project.document ?? {}, meta);
  return !isSeveral(project) && project.document?.kind !== "light" && Boolean(capabilities?.chooses_levels || capabilities?.tries_others);
}

function methodOf({ method = {} }, meta) {
  const name = method.name ?? "full-domain";
  return meta?.methods?.find((one) => one.name === name) ?? { name };
}

/** What will be done, in one sentence. */
function summary(document, dataset, meta) {
  const { attributes = {}, privacy = [] } = document;
  const qis = Object.entries(attributes).filter(([, said]) => said?.role === "quasi-identifier").map(([name]) => name);
  return t("run.summary", {
    rows: number(dataset?.rows ?? null), columns: qis.join(", ") || "–",
    privacy: privacy.map((asked) => modelText(asked, meta)).join("; ") || "–", method: titleOf("method", methodOf(document, meta)),
  });
}

function modelText(asked, meta) {
  const declared = meta?.models?.find((one) => one.name === asked.model) ?? { name: asked.model };
  const { attribute, ...parameters } = declared.parameters?.properties ?? {};
  const first = (key) => (key === declared.primary ? 0 : 1);
  const chosen = Object.keys(parameters).filter((key) => (asked[key] ?? null) !== null && asked[key] !== parameters[key].default);
  const said = chosen.sort((one, other) => first(one) - first(other)).map((key) => parameterText(declared, key, asked[key]));
  const title = titleOf("model", declared);
  return [asked.attribute ? `${title} (${asked.attribute})` : title, ...said].join(", ");
}

function parameterText(declared, key, value) {
  if (typeof value === "number") return `${key} = ${number(value)}`;
  return value === true ? parameterLabel(declared, key) : choiceLabel(declared, key, typeof value === "string" ? value : JSON.stringify(value));
}

function Missing({ problems }) {
  return html`<${Notice} kind="warning" title=${tn("run.missing", problems.length)}>
    <ul>${problems.slice(0, 6).map((one) => html`<li>${problemText(one)}</li>`)}</ul>
  <//>`;
}

/** What is at work, which stands first, or what is over. */
function Jobs({ runs, going = false, project, save, go, told }) {
  if (!runs) return html`<${Loading} />`;
  if (!runs.length) return going ? null : html`<p class="note">${t("run.none")}</p>`;
  const title = t(hasEnded(runs[0]) ? "run.jobs" : "home.running");
  return html`<section class="jobs" aria-label=${title}>
    <div class="panel-head"><h2>${title}</h2>${!hasEnded(runs[0]) && html`<${Tell} />`}</div>
    ${told && html`<${Notice} kind=${told.run.state === "done" ? "good" : "warning"}><p>${told.said}</p><//>`}
    ${runs.map((run, i) => html`<${Work} key=${run.id} run=${run} outdated=${run.state === "done" && isOutdated(run, project)}>${after(run, i, { project, save, go })}<//>`)}
  </section>`;
}

/** What can be done with a run that has ended; only the newest is explained at length. */
function after(run, place, { project, save, go }) {
  if (run.state === "done" && isOutdated(run, project)) return html`<p class="note">${t("outdated.short")}</p>`;
  if (run.state === "done" && isCopy(run)) return html`<p class="note">${t("release.table.done", { table: Object.values(run.asked.into).map((target) => target.table).join(", ") })}</p>`;
  if (run.state === "done") {
    const next = { run: ["explore", "judge", "release"], candidates: ["explore"], frontier: ["judge"], assess: ["judge"] }[run.kind] ?? [];
    return html`<div class="buttons">${next.map((step) => html`<${Button} small key=${step} onClick=${() => go(step)}>${t(`run.to.${step}`)}<//>`)}</div>`;
  }
  if (["failed", "interrupted"].includes(run.state) && place < 2) return html`<${Remedy} ...${{ run, project, save }} />`;
  if (run.error?.message || run.message) return hasEnded(run) ? html`<p class="note">${run.error?.message ?? run.message}</p>` : null;
  return null;
}

/** The browser asks the person; without it the page and its title still tell. */
function Tell() {
  const [state, setState] = useState(globalThis.Notification?.permission ?? "denied");
  if (state === "granted") return html`<p class="note">${t("run.willTell")}</p>`;
  if (state === "denied") return null;
  return html`<${Button} small kind="quiet" icon="info" onClick=${() => Notification.requestPermission().then(setState)}>${t("run.tellMe")}<//>`;
}
