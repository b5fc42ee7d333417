// Where a person is among the nine steps, and the way to the others; and the head that every step begins with.
import { createContext, html, useContext, useEffect, useRef } from "../html.js";
import { t } from "../words.js";
import { Button } from "./button.js";
import { Help } from "./help.js";
import { Icon } from "./icon.js";

/** What a step may know of a project of several tables: {several, names, table, following, datasets, whole, save, take, to}. */
export const Tables = createContext({ several: false, names: [""], table: "", datasets: {} });

export const STEPS = ["data", "roles", "hierarchies", "privacy", "run", "explore", "judge", "release", "finish"];

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

// The way on, at the foot of a step.
export function StepFoot({ back, next, go, disabled, why, words, busy, onNext }) {
  const { following } = useContext(Tables);
  const label = words ?? (following ? t("tables.next", { table: following }) : next && t("app.next", { step: t(`${next}.name`) }));
  return html`<footer class="step-foot">
    ${back ? html`<${Button} icon="back" onClick=${() => go(back)}>${t(`${back}.name`)}<//>` : html`<span></span>`}
    <div class="step-next">
      ${disabled && why && html`<p class="note" id="why-not">${why}</p>`}
      ${next && html`<${Button} kind="primary" busy=${busy} disabled=${disabled} aria-describedby=${disabled && why ? "why-not" : undefined} onClick=${onNext ?? (() => go(next))}>${label}<//>`}
    </div>
  </footer>`;
}
