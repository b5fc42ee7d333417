// All methods that fit, at several k: drawn, and the one that is clicked goes into the project's settings.
import { Button } from "../../components/button.js";
import { withPoint } from "../../components/explorer/choice.js";
import { Picture, isUnbeaten, same } from "../../components/explorer/picture.js";
import { ErrorNotice, Loading, Notice, announce } from "../../components/notice.js";
import { PlainTable } from "../../components/table.js";
import { Work } from "../../components/work.js";
import { titleOf } from "../../declared.js";
import { html, useState } from "../../html.js";
import { doneOf, hasEnded, isOutdated, start, useResult } from "../../runs.js";
import { number, percent, t } from "../../words.js";

export function AllMethods({ project, whole, table, runs, save, meta, dataset }) {
  const own = runs.filter((run) => run.kind === "frontier" && run.asked?.methods && (run.asked?.table ?? "") === table);
  const latest = doneOf(own, "frontier")[0];
  const going = own[0] && !hasEnded(own[0]) ? own[0] : null;
  const { value, problem } = useResult(latest);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const begin = () => {
    setBusy(true);
    start(project.id, { kind: "frontier", methods: "fitting", k: [2, 20], ...(table ? { table } : {}) }).then(() => setError(null), setError).finally(() => setBusy(false));
  };
  return html`<section class="panel" aria-labelledby="explore-frontier">
    <div class="panel-head"><div><h2 id="explore-frontier">${t("explore.frontier")}</h2><p class="note">${t("explore.frontier.note")}</p></div>
      ${!going && html`<${Button} icon="play" small=${Boolean(latest)} busy=${busy} disabled=${!dataset} onClick=${begin}>${t(latest ? "explore.frontier.again" : "explore.frontier.start")}<//>`}</div>
    <${ErrorNotice} error=${error ?? problem ?? (own[0]?.state === "failed" ? own[0].error : null)} />
    ${going && html`<${Work} run=${going} />`}
    ${latest && !value && !problem && html`<${Loading} />`}
    ${value && html`<${Chosen} key=${latest.id} ...${{ found: value, project, save, meta, stale: isOutdated(latest, whole) }} />`}
  </section>`;
}

function Chosen({ found, project, save, meta, stale }) {
  const { points, settings, recommended } = found;
  const [chosen, choose] = useState(() => points.find((point) => point.k === recommended.k && point.method === recommended.method) ?? points[0]);
  const [taken, setTaken] = useState(null);
  const [error, setError] = useState(null);
  const names = (method) => {
    const { name, suppression } = settings[method];
    const title = titleOf("method", meta?.methods?.find((one) => one.name === name) ?? { name });
    return typeof suppression === "number" ? t("explore.frontier.upTo", { method: title, share: percent(suppression, 0) }) : title;
  };
  const take = () =>
    save({ document: withPoint(project.document, chosen.k, settings[chosen.method]) }).then(() => {
      setTaken(chosen);
      announce(t("explore.frontier.taken", { k: chosen.k, method: names(chosen.method) }));
    }, setError);
  const columns = [{ name: "method", label: t("judge.method") }, { name: "k", label: "k", class: "number" }, { name: "loss", label: t("judge.tile.loss"), class: "number" }, { name: "risk", label: t("judge.tile.risk"), class: "number" }, { name: "out", label: t("explore.suppressed"), class: "number" }];
  const rows = points.map((point) => [html`<button type="button" class="link" onClick=${() => choose(point)}>${names(point.method)}</button>`, number(point.k), percent(point.gcp), percent(point.highest_risk), number(point.suppressed)]);
  return html`${stale && !taken && html`<${Notice} kind="info"><p>${t("explore.frontier.stale")}</p><//>`}
    <p class="note">${t("explore.frontier.x")}</p>
    <${Picture} ...${{ points, names, chosen, onChoose: choose }} />
    <div class="node-details" aria-live="polite">
      <div class="panel-head"><h3>${names(chosen.method)}, k = ${number(chosen.k)}</h3><${Button} kind="primary" icon="check" onClick=${take}>${t("explore.frontier.take")}<//></div>
      <dl class="facts">
        <div><dt>${t("judge.tile.loss")}</dt><dd>${percent(chosen.gcp)}</dd></div>
        <div><dt>${t("judge.tile.risk")}</dt><dd>${percent(chosen.highest_risk)}</dd></div>
        <div><dt>${t("explore.suppressed")}</dt><dd>${number(chosen.suppressed)}</dd></div>
      </dl>
      <p class="note">${t(isUnbeaten(chosen, points) ? "explore.frontier.unbeaten" : "explore.frontier.beaten")}${same(chosen, recommended) ? ` ${t("judge.recommended")}.` : ""}</p>
      <${ErrorNotice} error=${error} />
      ${taken && same(taken, chosen) && html`<${Notice} kind="good"><p>${t("explore.frontier.taken", { k: chosen.k, method: names(chosen.method) })}</p><//>`}
    </div>
    <details><summary>${t("explore.frontier.table")}</summary><${PlainTable} label=${t("explore.frontier.table")} columns=${columns} rows=${rows} /></details>`;
}
