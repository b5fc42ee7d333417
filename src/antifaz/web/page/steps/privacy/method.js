// The method: three cards by what the recipient will do, measured on the data; all methods by their names under "more".
import { helpOf, summaryOf, titleOf } from "../../declared.js";
import { html, useContext, useState } from "../../html.js";
import { doneOf, hasEnded, isOutdated, start, useResult } from "../../runs.js";
import { number, percent, t, tn } from "../../words.js";
import { Button } from "../../components/button.js";
import { RadioCards } from "../../components/field.js";
import { Fold } from "../../components/fold.js";
import { DeclaredForm, starting } from "../../components/form.js";
import { Help } from "../../components/help.js";
import { ErrorNotice, Notice } from "../../components/notice.js";
import { Tables } from "../../components/steps.js";
import { Work } from "../../components/work.js";

const PURPOSES = ["read", "analyse", "numbers"];
const SHOWN = 12; // columns of the record on a card

export function MethodChoice({ meta, columns, value, runs, project, save, onChange }) {
  const { several } = useContext(Tables);
  const { name, ...parameters } = value;
  const declaration = meta.methods.find((method) => method.name === name);
  const own = (runs ?? []).filter((run) => run.kind === "methods");
  const latest = doneOf(own, "methods")[0];
  const { value: found, problem } = useResult(latest);
  const choose = (next) => {
    const method = meta.methods.find((one) => one.name === next);
    const share =
      method.parameters?.properties?.suppression && parameters.suppression !== undefined
        ? { suppression: parameters.suppression }
        : {};
    onChange({ name: next, ...starting(method), ...share });
  };
  // Numbers that are kept are means: nobody is told apart by a target then.
  const serve = (purpose) => onChange({ name: "auto", purpose, ...(name === "auto" && parameters.seconds ? { seconds: parameters.seconds } : {}), ...(name === "auto" && parameters.target && purpose === "analyse" ? { target: parameters.target } : {}) });
  const measured = Object.fromEntries((found?.purposes ?? []).map((one) => [one.purpose, one]));
  const others = meta.methods.filter((method) => several || method.name !== "auto");
  const named = html`<${RadioCards} legend=${t(several ? "privacy.method" : "privacy.method.names")} help="method" value=${name} onChange=${choose}
    options=${others.map((method) => ({ value: method.name, title: titleOf("method", method), note: summaryOf("method", method) }))} />`;
  return html`<section class="stack" id="method">
    ${
      !several &&
      html`<${RadioCards} class="purposes" legend=${t("privacy.method")} help="method" value=${name === "auto" ? (parameters.purpose ?? "analyse") : ""} onChange=${serve}
      options=${PURPOSES.map((purpose) => ({ value: purpose, title: t(`privacy.purpose.${purpose}`), note: t(`privacy.purpose.${purpose}.text`), mark: purpose === "analyse" ? t("app.recommended") : null, more: measured[purpose] && html`<${Measured} one=${measured[purpose]} columns=${found.columns} rows=${found.rows} meta=${meta} />` }))} />
      <${Measuring} ...${{ own, latest, problem, project, save }} />`
    }
    ${several ? named : html`<${Fold} open=${Boolean(name) && name !== "auto"} title=${t("privacy.method.more", { count: others.length })}>${named}<//>`}
    ${
      declaration &&
      html`<div class="panel"><h3>${t("privacy.method.options", { method: titleOf("method", declaration) })}<${Help} ...${helpOf("method", declaration)} /></h3>
      <${DeclaredForm} key=${name} declaration=${declaration} value=${parameters} skip=${several ? [] : ["purpose"]}
        columns=${columns.filter((column) => column.role === "quasi-identifier" || column.role === "sensitive")}
        qualities=${meta.qualities ?? []} onChange=${(next) => onChange({ name, ...(name === "auto" && parameters.purpose ? { purpose: parameters.purpose } : {}), ...next })} /></div>`
    }
  </section>`;
}

/** What a purpose would cost on these data, and a row of what would be released. */
function Measured({ one, columns, rows, meta }) {
  if (one.problem) return html`<span class="measured"><span class="card-note">${one.problem}</span></span>`;
  const method = meta.methods.find((each) => each.name === one.method) ?? { name: one.method };
  return html`<span class="measured">
    <span class="figures"><span><strong>${percent(one.loss)}</strong> ${t("privacy.purpose.loss")}</span>
      <span><strong>${number(one.left_out)}</strong> ${t("privacy.purpose.out", { share: percent(one.left_out / Math.max(rows, 1)) })}</span>
      ${one.accuracy !== undefined && html`<span><strong>${percent(one.accuracy)}</strong> ${t("privacy.purpose.accuracy")}</span>`}</span>
    <span class="card-note">${tn("privacy.purpose.by", one.tried, { method: titleOf("method", method) })}</span>
    ${one.sample && html`<span class="sample" role="group" aria-label=${t("privacy.purpose.sample")}>${columns.slice(0, SHOWN).map((column, at) => html`<span key=${column}><span class="card-note">${column}</span> ${one.sample[at] ?? t("app.missing")}</span>`)}${columns.length > SHOWN && html`<span class="card-note">${t("look.preview.more", { count: columns.length - SHOWN })}</span>`}</span>`}
  </span>`;
}

function Measuring({ own, latest, problem, project, save }) {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const { whole } = useContext(Tables);
  const going = own.find((run) => !hasEnded(run));
  const failed = own[0]?.state === "failed" ? own[0].error : null;
  const outdated = latest && isOutdated(latest, whole);
  const begin = () => {
    setBusy(true);
    // What was just changed is measured, too.
    save({}).then(() => start(project.id, { kind: "methods" })).then(() => setError(null), setError).finally(() => setBusy(false));
  };
  const ready = !(project.problems ?? []).length;
  return html`<${ErrorNotice} error=${error ?? problem ?? failed} />
    ${outdated && html`<${Notice} kind="warning"><p>${t("privacy.measure.stale")}</p><//>`}
    ${going ? html`<${Work} run=${going} open=${false} />` : (!latest || outdated || failed) && html`<div class="buttons"><${Button} icon="play" busy=${busy} disabled=${!ready} onClick=${begin}>${t(latest ? "privacy.measure.again" : "privacy.measure")}<//>
      <p class="note">${t(ready ? "privacy.measure.text" : "privacy.first")}</p></div>`}`;
}
