// What every k would cost, and the one that keeps the balance.
import { html, useContext, useMemo, useState } from "../../html.js";
import { doneOf, hasEnded, isOutdated, start, useResult } from "../../runs.js";
import { language, t } from "../../words.js";
import { Button } from "../button.js";
import { Chart } from "../chart.js";
import { frontierChart } from "../charts/frontier.js";
import { ErrorNotice, Loading, Notice } from "../notice.js";
import { withK } from "../remedy.js";
import { Tables } from "../steps.js";
import { Work } from "../work.js";

export function Frontier({ runs, project, save, go, table = "" }) {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const own = runs.filter((run) => run.kind === "frontier" && !run.asked?.methods && (run.asked?.table ?? "") === table);
  const latest = doneOf(own, "frontier")[0];
  const tried = own[0];
  const going = tried && !hasEnded(tried) ? tried : null;
  const { whole } = useContext(Tables);
  const { value, problem } = useResult(latest);
  const begin = () => {
    setBusy(true);
    start(project.id, { kind: "frontier", k: [2, 20], ...(table ? { table } : {}) }).then(() => setError(null), setError).finally(() => setBusy(false));
  };
  return html`<section class="panel">
    <div class="panel-head"><h2>${t("judge.frontier")}</h2>
      ${!going && html`<${Button} small=${Boolean(latest)} icon="play" busy=${busy} onClick=${begin}>${t(latest ? "judge.frontier.again" : "judge.frontier.start")}<//>`}</div>
    <p class="note">${t("judge.frontier.what")}</p>
    <${ErrorNotice} error=${error ?? problem ?? (tried?.state === "failed" ? tried.error : null)} />
    ${going && html`<${Work} run=${going} />`}
    ${latest && !value && !problem && html`<${Loading} />`}
    ${latest && isOutdated(latest, whole) && html`<${Notice} kind="warning"><p>${t("judge.frontier.stale")}</p><//>`}
    ${value && html`<${Curves} found=${value} ...${{ project, save, go }} />`}
  </section>`;
}

function Curves({ found, project, save, go }) {
  const chart = useMemo(() => frontierChart(found, {
    loss: t("judge.loss.loss"), highest_risk: t("judge.tile.risk"), ks_min: t("judge.frontier.ks"), recommended: t("judge.recommended"), method: t("judge.method"), suppressed: t("explore.suppressed"),
  }), [found, language.get()]);
  const k = found.recommended?.k;
  const now = project.document?.privacy?.find((asked) => asked.model === "k-anonymity")?.k;
  const chosen = found.recommended?.method;
  const several = new Set(found.points.map((point) => point.method)).size > 1;
  // With several settings, the one that is recommended is taken with its k.
  const method = several ? { method: found.settings[chosen] } : {};
  const take = () => save({ document: { ...withK(project.document, k), ...method } }).then(() => go("run"));
  return html`<${Chart} title=${t("judge.frontier.title")} description=${t("judge.frontier.note")} ...${chart} />
    ${k && html`<div class="panel-head"><p><strong>${t("judge.recommended")}: k = ${k}${several ? `, ${chosen}` : ""}.</strong> ${found.recommended.reason}</p>
      ${now !== undefined && (now !== k || several) && html`<${Button} icon="check" onClick=${take}>${t("judge.frontier.take", { k })}<//>`}</div>`}`;
}
