// Three attackers, before and after, against the threshold that health data is often held to.
import { html, useMemo } from "../../html.js";
import { language, percent, t } from "../../words.js";
import { Chart } from "../chart.js";
import { riskChart } from "../charts/risk.js";
import { Help } from "../help.js";

export const THRESHOLD = 0.09;

export function Risk({ evidence, assessed }) {
  const rows = useMemo(() => attackers(evidence.risk ?? {}, assessed?.risk), [evidence, assessed, language.get()]);
  const threshold = assessed?.risk?.threshold ?? THRESHOLD;
  const chart = useMemo(() => riskChart(rows, threshold, {
    before: t("explore.before"), after: t("explore.after"), threshold: t("judge.threshold"), attacker: t("judge.attacker"),
  }), [rows, threshold]);
  if (!rows.length) return null;
  const highest = Math.max(...rows.map((row) => row.after ?? 0));
  const reading = t(highest <= threshold ? "judge.risk.below" : "judge.risk.above", { highest: percent(highest), threshold: percent(threshold) });
  return html`<section class="panel">
    <div class="terms"><span>${t("judge.attackers")}</span>
      ${["prosecutor", "journalist", "marketer"].map((term) => html`<span class="term" key=${term}>${t(`judge.${term}`)}<${Help} title=${t(`judge.${term}`)} text=${t(`judge.${term}.text`)} /></span>`)}</div>
    <${Chart} title=${t("judge.risk")} description=${`${t("judge.risk.note")} ${reading}`} ...${chart} />
  </section>`;
}

/** From the assessment where there is one, else from the evidence, which knows two of the three. */
function attackers(evidence, assessed) {
  const named = (name, before, after) => ({ name: t(`judge.${name}`), before, after });
  if (assessed?.before && assessed?.after) {
    const of = (side, name) => side[name]?.highest ?? side[name]?.average ?? null;
    return ["prosecutor", "journalist", "marketer"].map((name) => named(name, of(assessed.before, name), of(assessed.after, name)));
  }
  return ["prosecutor", "marketer"].filter((name) => typeof evidence[name] === "number").map((name) => named(name, evidence[`${name}_before`], evidence[name]));
}
