// One piece of work on the page: how far it is, how it ended, and what can be done about it.
import { html, useState } from "../html.js";
import { cancel, hasEnded, kindTitle, remove, stateOf } from "../runs.js";
import { number, seconds, t, tn, when } from "../words.js";
import { Button, IconButton } from "./button.js";
import { Icon } from "./icon.js";
import { ErrorNotice, ProgressBar } from "./notice.js";

const ICONS = { queued: "wait", running: "wait", done: "check", failed: "warning", cancelled: "close", interrupted: "warning" };

/** Progress, or the end; `children` is what can be done next. */
export function Work({ run, children, open = true }) {
  const [error, setError] = useState(null);
  const [asked, setAsked] = useState(false);
  const ended = hasEnded(run);
  const stop = () => { setAsked(true); cancel(run.id).then(() => setAsked(false), (problem) => { setAsked(false); setError(problem); }); };
  const title = run.number === null ? kindTitle(run) : t("run.numbered", { kind: kindTitle(run), number: number(run.number) });
  return html`<article class=${`work is-${run.state}`} aria-label=${title} data-state=${run.state} data-kind=${run.kind}>
    <div class="work-head">
      <span class="work-icon"><${Icon} name=${ICONS[run.state] ?? "info"} size=${20} /></span>
      <div class="work-title"><h3>${title}</h3><p class="note">${when(run.queued)}${run.ended ? ` · ${seconds(took(run))}` : ""}</p></div>
      <span class=${`state is-${run.state}`}>${t(`run.state.${stateOf(run)}`)}</span>
      ${!ended && html`<${Button} small icon="close" busy=${asked} onClick=${stop}>${t("run.cancel")}<//>`}
      ${ended && html`<${IconButton} icon="bin" label=${t("run.forget", { what: title })} onClick=${() => remove(run.id).catch(setError)} />`}
    </div>
    ${!ended && html`<${ProgressBar} share=${run.share} label=${title} />`}
    ${!ended && run.message && html`<p class="note work-message">${run.message}</p>`}
    ${open && run.steps?.length > 0 && html`<${Steps} run=${run} ended=${ended} />`}
    <${ErrorNotice} error=${error} />
    ${children}
  </article>`;
}

function Steps({ run, ended }) {
  const list = html`<ol class="work-steps">
    ${run.steps.map((step) => html`<li key=${step.name} class=${step.done || (ended && run.state === "done") ? "is-done" : "is-now"}>
      <${Icon} name=${step.done || (ended && run.state === "done") ? "check" : ended ? "close" : "wait"} size=${16} />
      <span class="work-step">${stepTitle(step)}</span><span class="work-time">${typeof step.seconds === "number" ? seconds(step.seconds) : ""}</span>
    </li>`)}
  </ol>`;
  if (!ended) return list;
  return html`<details class="work-details"><summary>${tn("run.steps", run.steps.length)}</summary>${list}</details>`;
}

function stepTitle(step) {
  const known = t(`run.step.${step.name}`);
  return known === `run.step.${step.name}` ? step.message || step.name : known;
}

const took = (run) => Math.max(0, (Date.parse(run.ended) - Date.parse(run.began ?? run.queued)) / 1000);
