// What was lost, attribute by attribute, and whether distributions of numbers were kept.
import { html, useMemo } from "../../html.js";
import { language, number, percent, t } from "../../words.js";
import { Chart } from "../chart.js";
import { short } from "../charts/common.js";
import { lossChart } from "../charts/loss.js";
import { Help } from "../help.js";
import { PlainTable } from "../table.js";

/** From this p-value on, the distribution of a number counts as kept. */
const KEPT = 0.95;

export function Loss({ evidence, assessed }) {
  const rows = useMemo(() => perAttribute(evidence, assessed), [evidence, assessed, language.get()]);
  const chart = useMemo(() => lossChart(rows, {
    attribute: t("judge.attribute"), loss: t("judge.loss.loss"), gcp: t("judge.loss.gcp"), precision: t("judge.loss.precision"),
  }), [rows]);
  const ks = evidence.utility?.ks ?? {};
  if (!rows.length && !Object.keys(ks).length) return null;
  return html`<section class="panel">
    ${rows.length > 0 && html`<${Chart} title=${t("judge.loss")} description=${t("judge.loss.note")} ...${chart} />`}
    ${Object.keys(ks).length > 0 && html`<${Kept} ks=${ks} />`}
  </section>`;
}

/** The assessment knows every attribute; the evidence knows the whole, and the level of each. */
function perAttribute(evidence, assessed) {
  const { utility = {}, attributes = [] } = evidence;
  const levels = new Map(attributes.filter((one) => one.height).map((one) => [one.name, 1 - one.level / one.height]));
  const whole = { name: t("judge.whole"), loss: utility.loss, gcp: utility.gcp, precision: utility.precision };
  const columns = Object.entries(assessed?.utility?.columns ?? {}).filter(([, found]) => typeof found.loss === "number");
  const rows = columns.length
    ? columns.map(([name, found]) => ({ name, loss: found.loss, gcp: found.gcp, precision: levels.get(name) ?? null }))
    : [...levels].map(([name, precision]) => ({ name, precision }));
  if (!columns.length) return rows.length ? [...rows, { name: whole.name, precision: whole.precision }] : [];
  return [...rows, whole];
}

function Kept({ ks }) {
  const columns = [{ name: "column", label: t("judge.attribute") }, { name: "p", label: t("judge.ks.p"), class: "number" }, { name: "kept", label: t("judge.ks.kept") }];
  const rows = Object.entries(ks).map(([name, p]) => [name, p === null ? "–" : p > 0.9999 && p < 1 ? number(p, 10) : short(p),
    html`<span class=${`badge ${p >= KEPT ? "good" : "warning"}`}>${t(p >= KEPT ? "judge.ks.yes" : "judge.ks.no")}</span>`]);
  return html`<div class="ks"><h3>${t("judge.ks")}<${Help} title=${t("judge.ks")} text=${t("judge.ks.text")} /></h3><p class="note">${t("judge.ks.note", { limit: percent(KEPT, 0) })}</p>
    <${PlainTable} label=${t("judge.ks")} columns=${columns} rows=${rows} /></div>`;
}
