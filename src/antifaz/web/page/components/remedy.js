// What to try when a run did not reach what was asked.
import { html, useState } from "../html.js";
import { start, stateOf } from "../runs.js";
import { isSeveral, tableDocument, withTableDocument } from "../tables.js";
import { percent, t } from "../words.js";
import { Button } from "./button.js";
import { AreaField } from "./field.js";
import { ErrorNotice, Notice } from "./notice.js";

/** The nearest targets that an error names in its values. */
export function nearest(error) {
  const found = messages(error?.reason);
  const k = found.find((one) => one.code === "method.nearest-k")?.values.k;
  const grouped = found.find((one) => /^method\.no-(grouping|suppression)-satisfies-k$/.test(one.code))?.values.rows;
  const share = found.find((one) => one.code === "method.nearest-suppression")?.values.share;
  return { k: k ?? grouped ?? null, suppression: share ?? null };
}

/** A message and those in its values. */
function messages(one) {
  if (Array.isArray(one)) return one.flatMap(messages);
  return one?.code ? [one, ...Object.values(one.values ?? {}).flatMap(messages)] : [];
}

const KEPT = ["levels", "k", "attacks", "run"];

/** Whether earlier releases speak against it: a reason lets it be handed out all the same. */
export const isRefused = (error) => messages(error?.reason).some((one) => one.code.startsWith("ledger."));

/** A project's document with a smaller k, or with more records left out. */
export const withK = (document, k) => ({
  ...document, privacy: (document.privacy ?? []).map((asked) => (asked.model === "k-anonymity" ? { ...asked, k } : asked)),
});
export const withSuppression = (document, suppression) => ({
  ...document, method: document.method?.name === "auto" ? { name: "full-domain", suppression } : { ...document.method, suppression },
});

/** A project's document with what a finding proposes: parts of it as the project file says them. */
export function withChange(document, { attributes = {}, privacy = [], ...others }) {
  const columns = Object.entries(attributes).map(([name, change]) => {
    const { hierarchy, operation, ...own } = document.attributes?.[name] ?? {};
    // What is removed is neither generalized nor changed before.
    const kept = change.role === "identifier" ? {} : { ...(hierarchy ? { hierarchy } : {}), ...(operation ? { operation } : {}) };
    return [name, { ...own, ...kept, ...change }];
  });
  const same = (a, b) => a.model === b.model && a.attribute === b.attribute && (a.kind ?? b.kind) === (b.kind ?? a.kind);
  const asked = document.privacy ?? [];
  return {
    ...document, ...others,
    attributes: { ...document.attributes, ...Object.fromEntries(columns) },
    privacy: [...asked.map((one) => ({ ...one, ...privacy.find((other) => same(one, other)) })), ...privacy.filter((one) => !asked.some((other) => same(one, other)))],
  };
}

/** `run` failed; `project`, `save` as of the step. */
export function Remedy({ run, project, save }) {
  const [busy, setBusy] = useState("");
  const [problem, setProblem] = useState(null);
  const [reason, setReason] = useState("");
  const error = run.error ?? { message: run.message };
  const near = nearest(error);
  // Of several tables the error names the one that it is about.
  const table = messages(error.reason).find((one) => one.code === "plan.in-table")?.values.table ?? "";
  const inTable = (edit) => (now) => (table && isSeveral({ document: now }) ? withTableDocument(now, table, edit(tableDocument(now, table))) : edit(now));
  const mendable = Boolean(table) || !isSeveral(project);
  const again = async (name, change, more = {}) => {
    setBusy(name);
    setProblem(null);
    try {
      if (change) await save({ document: change(project.document) });
      // A candidate that was chosen by hand stays chosen, unless something else is asked for now.
      const asked = change ? {} : Object.fromEntries(Object.entries(run.asked ?? {}).filter(([key]) => KEPT.includes(key)));
      await start(project.id, { kind: run.kind, ...asked, ...more });
    } catch (failure) {
      setProblem(failure);
    } finally {
      setBusy("");
    }
  };
  const took = run.state === "interrupted" || run.state === "cancelled";
  return html`<div class="remedy">
    <${Notice} kind=${took ? "info" : "warning"} title=${t(`run.ended.${stateOf(run)}`)}>
      <p>${error.message || t("run.ended.unknown")}</p>
    <//>
    <div class="buttons">
      ${mendable && near.k > 1 && html`<${Button} kind="primary" icon="check" busy=${busy === "k"} onClick=${() => again("k", inTable((now) => withK(now, near.k)))}>${t("run.take.k", { k: near.k })}<//>`}
      ${mendable && near.suppression !== null && html`<${Button} icon="check" busy=${busy === "out"} onClick=${() => again("out", inTable((now) => withSuppression(now, near.suppression)))}>${t("run.take.suppression", { share: percent(near.suppression, 2) })}<//>`}
      <${Button} icon="play" busy=${busy === "again"} onClick=${() => again("again")}>${t("run.again")}<//>
    </div>
    ${isRefused(error) && html`<form class="despite" onSubmit=${(event) => { event.preventDefault(); again("despite", null, { despite: reason.trim() }); }}>
      <${AreaField} label=${t("run.despite")} note=${t("run.despite.note")} value=${reason} onChange=${setReason} rows="2" required />
      <${Button} type="submit" busy=${busy === "despite"} disabled=${reason.trim().length < 3}>${t("run.despite.yes")}<//>
    </form>`}
    <${ErrorNotice} error=${problem} />
  </div>`;
}

