// The rule that a project follows, clause by clause: what holds, what does not, and what only a person can say.
import { html } from "../../html.js";
import { t, tn } from "../../words.js";

const BADGES = { holds: "good", fails: "bad", person: "warning" };

export function RuleClauses({ evidence, meta }) {
  const rule = evidence.preset;
  if (!rule) return null;
  const of = (answer) => rule.clauses.filter((one) => one.answer === answer);
  // What asks for attention first; what holds because nothing of the kind was released, last and folded.
  const first = [...of("fails"), ...of("person"), ...of("holds").filter((one) => one.columns.length)];
  const rest = rule.clauses.filter((one) => !first.includes(one));
  return html`<section class="panel" aria-labelledby="judge-rule">
    <h2 id="judge-rule">${t("rule.judged", { rule: t(`rule.${rule.name}`) })}</h2>
    <p>${tn("rule.hold", of("holds").length)} ${tn("rule.fail", of("fails").length)} ${tn("rule.for.person", of("person").length)}</p>
    ${first.length > 0 && html`<${Clauses} clauses=${first} meta=${meta} />`}
    ${rest.length > 0 && html`<details><summary>${tn("rule.rest", rest.length)}</summary><${Clauses} clauses=${rest} meta=${meta} /></details>`}
    <p class="note">${t("rule.counted", { source: rule.source })}</p>
  </section>`;
}

function Clauses({ clauses, meta }) {
  return html`<ul class="verdicts findings">${clauses.map((one) => html`<li key=${one.clause + one.key}><div>
    <p><strong>${meta?.clauses?.[one.key] ?? one.key}</strong> <span class=${`badge ${BADGES[one.answer]}`}>${t(`rule.answer.${one.answer}`)}</span></p>
    <p class="note">${one.clause} · ${one.words}</p>
  </div></li>`)}</ul>`;
}
