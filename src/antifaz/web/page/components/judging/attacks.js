// Singling out, linkability and inference, tried against the release.
import { html, useMemo, useState } from "../../html.js";
import { start } from "../../runs.js";
import { language, percent, t } from "../../words.js";
import { Chart } from "../chart.js";
import { attackChart, attackName, criterion } from "../charts/attacks.js";
import { ErrorNotice, Notice } from "../notice.js";
import { Proposal } from "../steps.js";
import { Work } from "../work.js";

const CRITERIA = ["singling", "linkability", "inference"];

export function Attacks({ run, project, evidence, going, failed, assessed, problem, dataset, table }) {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const attack = () => {
    setBusy(true);
    start(project.id, { kind: "assess", run: run.id, attacks: 1000, ...(table ? { table } : {}) }).then(() => setError(null), setError).finally(() => setBusy(false));
  };
  if (assessed) return html`<${Found} attacks=${assessed.attacks ?? []} />`;
  const known = tried(evidence);
  return html`${known.length > 0 && html`<${Found} attacks=${known} />`}
    ${going ? html`<section class="panel"><h2>${t("judge.attacks")}</h2><${Work} run=${going} /></section>`
    : html`<${Proposal} title=${t(known.length ? "judge.closer" : "judge.try")} yes=${t("judge.try.yes")} busy=${busy} onTake=${dataset ? attack : undefined}>
        <p>${t(known.length ? "judge.closer.note" : "judge.try.note")}</p>${!dataset && html`<p class="note">${t("run.noData")}</p>`}
      <//>`}
    <${ErrorNotice} error=${error ?? problem ?? failed} />`;
}

function Found({ attacks }) {
  const chart = useMemo(() => attackChart(ordered(attacks), {
    attack: t("judge.attack"), success: t("judge.success"), interval: t("judge.interval"), control: t("judge.control"), chance: t("judge.chance"),
  }), [attacks, language.get()]);
  if (!attacks.length) return html`<${Notice}><p>${t("judge.noAttacks")}</p><//>`;
  return html`<section class="panel">
    <${Chart} title=${t("judge.attacks")} description=${t("judge.attacks.note")} ...${chart} />
    <div class="criteria">${CRITERIA.map((name) => html`<${Criterion} key=${name} name=${name} attacks=${attacks.filter((one) => criterion(one.name) === name)} />`)}</div>
  </section>`;
}

/** The attacks that the run itself tried, from its evidence. */
function tried(evidence) {
  const { singling_out: singling, linkability, inference } = evidence.criteria ?? {};
  return [singling, linkability, inference].flatMap((one) => one?.attacks ?? []);
}

const ordered = (attacks) => CRITERIA.flatMap((name) => attacks.filter((one) => criterion(one.name) === name));

/** An attack leaks when even the lower end of what it gains over the control is above nothing. */
export const leaks = (attack) => (attack.excess_interval?.[0] ?? attack.interval[0] - attack.control) > 0;

function Criterion({ name, attacks }) {
  const worst = attacks.filter(leaks).sort((a, b) => (b.excess ?? 0) - (a.excess ?? 0))[0];
  const verdict = !attacks.length ? "none" : worst ? "leak" : "fine";
  return html`<article class="card criterion">
    <div class="panel-head"><h3>${t(`judge.criterion.${name}`)}</h3>
      <span class=${`badge ${{ none: "", leak: "warning", fine: "good" }[verdict]}`}>${t(`judge.criterion.${verdict}`)}</span></div>
    <p>${t(`judge.criterion.${name}.text`)}</p>
    ${worst && html`<p class="note">${t("judge.criterion.worst", { excess: percent(worst.excess ?? worst.success - worst.control) })}</p>`}
    ${attacks.some((one) => one.reading) && html`<details><summary>${t("judge.readings")}</summary><ul class="readings">${attacks.map((one) => html`<li><strong>${attackName(one.name)}.</strong> ${one.reading ?? ""}</li>`)}</ul></details>`}
  </article>`;
}
