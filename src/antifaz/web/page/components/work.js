// One piece of work on the page: how far it is, how it ended, and what can be done about it.
import { html, useEffect, useState } from "../html.js";
import { cancel, hasEnded, isVerified, kindTitle, lastTook, remove, stateOf, took } from "../runs.js";
import { number, seconds, t, tn, when } from "../words.js";
import { Button, IconButton, LinkButton } from "./button.js";
import { Icon } from "./icon.js";
import { ErrorNotice, Notice, ProgressBar } from "./notice.js";
import { wantedText } from "./which.js";

const ICONS = { queued: "wait", running: "wait", done: "check", failed: "warning", cancelled: "close", interrupted: "warning" };

/** Progress, or the end; `children` is what can be done next. */
export function Work({ run, children, open = true, outdated = false }) {
  const [error, setError] = useState(null);
  const [asked, setAsked] = useState(false);
  const ended = hasEnded(run);
  const stop = () => { setAsked(true); cancel(run.id).then(() => setAsked(false), (problem) => { setAsked(false); setError(problem); }); };
  const title = run.number === null ? kindTitle(run) : t("run.numbered", { kind: kindTitle(run), number: number(run.number) });
  return html`<article class=${`work is-${outdated ? "outdated" : run.state}`} aria-label=${title} data-state=${run.state} data-kind=${run.kind}>
    <div class="work-head">
      <span class="work-icon"><${Icon} name=${outdated ? "info" : (ICONS[run.state] ?? "info")} size=${20} /></span>
      <div class="work-title"><h3>${title}</h3><p class="note">${[when(run.queued), run.ended && seconds(took(run)), wantedText(run)].filter(Boolean).join(" · ")}</p></div>
      <span class=${`state is-${outdated ? "outdated" : run.state}`}>${t(`run.state.${outdated ? "outdated" : stateOf(run)}`)}</span>
      ${!ended && html`<${Button} small icon="close" busy=${asked} onClick=${stop}>${t("run.cancel")}<//>`}
      ${ended && html`<${IconButton} icon="bin" label=${t("run.forget", { what: title })} onClick=${() => remove(run.id).catch(setError)} />`}
    </div>
    ${!ended && html`<${ProgressBar} share=${run.share} label=${title} />`}
    ${!ended && html`<${Waiting} run=${run} />`}
    ${!ended && html`<${Holds} run=${run} />`}
    ${open && run.steps?.length > 0 && html`<${Steps} run=${run} ended=${ended} />`}
    <${ErrorNotice} error=${error} />
    ${children}
  </article>`;
}

/** What is being done, for how long already, and how long the last of its kind took. */
export function Waiting({ run }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const last = lastTook(run);
  const parts = [run.message, run.began && seconds(Math.max(0, Math.round((now - Date.parse(run.began)) / 1000))), last !== null && t("run.last", { time: seconds(last) })];
  return html`<p class="note work-message">${parts.filter(Boolean).join(" · ")}</p>`;
}

/** What holds is said as soon as the rows were counted again; attacks and documents come when they are ready. */
function Holds({ run }) {
  const verified = run.steps?.find((step) => step.name === "verify");
  if (!verified || !isVerified(run)) return null;
  return html`<${Notice} kind="good" actions=${html`<${LinkButton} small href=${`/p/${run.project}/judge`}>${t("run.holds.look")}<//>`}><p>${verified.message} ${t("run.holds.rest")}</p><//>`;
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

