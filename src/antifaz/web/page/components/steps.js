// The steps, where a person is among them, the way to the others, and the head and foot that every step has.
import { createContext, html, useContext, useEffect, useRef } from "../html.js";
import { t } from "../words.js";
import { Button } from "./button.js";
import { Help } from "./help.js";
import { Icon } from "./icon.js";
import { lazy } from "./lazy.js";

/** What a step may know of a project of several tables: {several, names, table, following, datasets, whole, save, take, to}. */
export const Tables = createContext({ several: false, names: [""], table: "", datasets: {} });

const decided = (document, dataset) => (dataset?.columns ?? []).every(({ name }) => document.attributes?.[name]?.role);

// All steps in their order. The module of each is steps/NAME.js; its words are NAME.name, .title, .asked and .why.
// each: done for each of several tables; given: whether the answer of one table is there; released: open once there is
// a release; complete: not answered while something is missing in the project.
const LIST = [
  { name: "data", each: true, given: (document, dataset) => Boolean(dataset) },
  { name: "roles", each: true, given: (document, dataset) => Boolean(dataset) && decided(document, dataset) },
  { name: "hierarchies", each: true },
  { name: "privacy", each: true, complete: true, given: (document) => document.kind === "light" || (document.privacy?.length > 0 && Boolean(document.method)) },
  { name: "run" },
  { name: "explore", each: true },
  { name: "judge", each: true, released: true },
  { name: "release", released: true },
  { name: "finish" },
];
const byName = Object.fromEntries(LIST.map((step) => [step.name, step]));
const views = Object.fromEntries(LIST.map(({ name }) => [name, lazy(() => import(`../steps/${name}.js`))]));
const FIRST = LIST[0].name;

export const STEPS = LIST.map(({ name }) => name);

/** What shows a step. */
export const viewOf = (name) => views[name];

/** The step that is shown: the one asked for, or where the project is. */
export const stepOf = (asked, project) => [asked, project?.step].find((name) => name in byName) ?? FIRST;

/** How far on a step is. */
export const placeOfStep = (name) => Math.max(STEPS.indexOf(name), 0);

/** Whether a step is done for each table of several. */
export const isOfTable = (name) => Boolean(byName[name].each);

/** Whether a table's answer to a step is there. */
export const isGiven = (name, document, dataset) => Boolean(byName[name].given?.(document, dataset));

const RUN = STEPS.indexOf("run");

/** The steps whose question is answered; those behind the run are about what it released. `ran`: and is up to date. */
export function answeredSteps(project, ran) {
  const reached = placeOfStep(project.step);
  const lacking = project.problems?.length > 0;
  return STEPS.filter((name, at) => (at === RUN ? ran : at < reached && !(byName[name].complete && lacking) && (at < RUN || ran)));
}

/** The steps that may be gone to. Without the data there are only those of the runs that were made. */
export function openSteps({ data, runs, released }) {
  if (!data) return STEPS.filter((name, at) => !at || (runs && at >= RUN));
  return STEPS.filter((name) => released || !byName[name].released);
}

// done: the names of the steps whose question is answered; open: those that may be gone to.
export function StepList({ current, done, open, go }) {
  const at = STEPS.indexOf(current);
  return html`<nav class="steps" aria-label=${t("app.steps")}>
    <p class="steps-now"><span
      class="steps-count">${t("app.step.of", { at: at + 1, all: STEPS.length })}</span> ${t(`${current}.name`)}</p>
    <ol>
      ${STEPS.map((name, index) => {
        const state = name === current ? "current" : done.includes(name) ? "done" : "todo";
        return html`<li key=${name} class=${state}>
          <button type="button" disabled=${!open.includes(name)} aria-current=${name === current ? "step" : undefined}
            onClick=${() => go(name)}>
            <span class="step-number"
              aria-hidden="true">${state === "done" ? html`<${Icon} name="check" size=${16} />` : index + 1}</span>
            <span class="step-name">${t(`${name}.name`)}</span>
            ${state === "done" && html`<span class="unseen">(${t("app.step.done")})</span>`}
          </button>
        </li>`;
      })}
    </ol>
  </nav>`;
}

let focused = ""; // the address whose title had the focus last

// What is asked and why. <StepHead step="roles" term="role" /> takes its words from roles.title, roles.asked, roles.why.
export function StepHead({ step, term, children }) {
  const title = useRef(null);
  const { table } = useContext(Tables);
  // Whoever reads with the keyboard or by ear begins where the step begins; a step that draws itself anew takes nothing away.
  useEffect(() => {
    if (focused === location.pathname) return;
    focused = location.pathname;
    title.current.focus({ preventScroll: true });
  }, [step, table]);
  return html`<header class="step-head">
    <h1 tabindex="-1" ref=${title}>${t(`${step}.title`)}${term && html`<${Help} term=${term} />`}</h1>
    <p class="asked">${t(`${step}.asked`)}</p>
    <p class="why"><strong>${t("app.why")}</strong> ${t(`${step}.why`)}</p>
    ${children}
  </header>`;
}

// The answer that is proposed, taken with one click.
export function Proposal({ title, children, yes, onTake, busy, taken }) {
  return html`<section class=${`proposal${taken ? " taken" : ""}`} aria-label=${t("app.proposal")}>
    <div class="proposal-icon"><${Icon} name=${taken ? "check" : "wand"} size=${24} /></div>
    <div class="proposal-text"><h2>${title}</h2>${children}</div>
    ${onTake && html`<${Button} kind="primary" icon="check" busy=${busy} onClick=${onTake}>${yes}<//>`}
  </section>`;
}

// The way back and on, at the foot of a step; `stay` is a step that can't be answered yet. `onNext` is told where to.
export function StepFoot({ step, go, stay = false, disabled, why, words, busy, onNext = go }) {
  const at = STEPS.indexOf(step);
  const [back, next] = [STEPS[at - 1], stay ? undefined : STEPS[at + 1]];
  const { following } = useContext(Tables);
  const label = words ?? (following ? t("tables.next", { table: following }) : next && t("app.next", { step: t(`${next}.name`) }));
  return html`<footer class="step-foot">
    ${back ? html`<${Button} icon="back" onClick=${() => go(back)}>${t(`${back}.name`)}<//>` : html`<span></span>`}
    <div class="step-next">
      ${disabled && why && html`<p class="note" id="why-not">${why}</p>`}
      ${next && html`<${Button} kind="primary" busy=${busy} disabled=${disabled} aria-describedby=${disabled && why ? "why-not" : undefined} onClick=${() => onNext(next)}>${label}<//>`}
    </div>
  </footer>`;
}
