// Step 4: what must hold of the release, and how to get there.
import { problemText } from "../declared.js";
import { api } from "../api.js";
import { html, useContext, useEffect, useState } from "../html.js";
import { useRuns } from "../runs.js";
import { number, t, tn } from "../words.js";
import { RadioCards } from "../components/field.js";
import { Frontier } from "../components/judging/frontier.js";
import { ErrorNotice, Loading, Notice, announce } from "../components/notice.js";
import { Proposal, StepFoot, StepHead, Tables } from "../components/steps.js";
import { Audience, audienceOf } from "./privacy/audience.js";
import { MethodChoice } from "./privacy/method.js";
import { Models } from "./privacy/models.js";
import { Operations } from "./privacy/operations.js";
import { More } from "./privacy/more.js";
import { ProjectText } from "./privacy/text.js";

export default function PrivacyStep({ project, save, go, meta, dataset, reload }) {
  const document = project.document ?? {};
  const kind = document.kind ?? "complete";
  const { runs } = useRuns(project.id);
  const columns = (dataset?.columns ?? []).map((column) => ({
    ...column,
    role: document.attributes?.[column.name]?.role ?? "decide",
  }));
  const change = (edit) => save({ document: edit }).catch(() => null);
  const { proposed, problem } = useProposal(dataset, columns, audienceOf(document), useContext(Tables).several);
  const taken = kind === "complete" && document.privacy?.length > 0 && document.method;
  const take = async () => {
    await change((copy) => void Object.assign(copy, begun(proposed), { release: { ...copy.release, audience: audienceOf(copy) } }));
    announce(t("privacy.taken"));
  };
  const problems = project.problems ?? [];
  const { following, table } = useContext(Tables);
  return html`
    <${StepHead} step="privacy" term="privacy-model" />
    ${kind === "light" && html`<${Notice} kind="warning" title=${t("privacy.light")}><p>${t("privacy.light.text")}</p><//>`}
    ${
      kind === "complete" &&
      html`<${Audience} ...${{ meta, document, change }} />
      <${ErrorNotice} error=${problem} />
      <${Proposal} taken=${taken} title=${t(taken ? "privacy.taken" : "privacy.proposal", { k: proposed?.privacy[0].k ?? "…" })} yes=${t("privacy.take")} busy=${!proposed && !problem} onTake=${taken || problem ? null : take}>
      ${taken ? html`<p>${t("privacy.taken.text")}</p>` : proposed ? html`<${Why} proposed=${proposed} />` : !problem && html`<${Loading} words=${t("privacy.proposal.wait")} />`}
    <//>`
    }
    <${RadioCards} legend=${t("privacy.kind")} help="kind" value=${kind}
      onChange=${(value) => change((copy) => turn(copy, value, begun(proposed)))}
      options=${["complete", "light"].map((value) => ({ value, title: t(`privacy.kind.${value}`), note: t(`privacy.kind.${value}.text`), mark: value === "complete" ? t("app.recommended") : null }))} />
    ${
      kind === "complete" &&
      html`
      <${Models} meta=${meta} columns=${columns} value=${document.privacy ?? []}
        onChange=${(privacy) => change((copy) => void (copy.privacy = privacy))} />
      ${taken && runs && html`<div id="propose-k"><${Frontier} runs=${runs} project=${project} save=${save} table=${table} go=${() => announce(t("privacy.k.taken"))} /></div>`}
      <${MethodChoice} meta=${meta} columns=${columns} value=${document.method ?? {}} runs=${runs} project=${project} save=${save}
        onChange=${(method) => change((copy) => void (copy.method = method))} />`
    }
    <${Operations} meta=${meta} columns=${columns} document=${document} open=${kind === "light"} change=${change} />
    <${More} document=${document} change=${change} meta=${meta} dataset=${dataset} />
    <${ProjectText} project=${project} reload=${reload} save=${save} />
    ${problems.length > 0 && !following && html`<${Notice} kind="warning" title=${tn("privacy.problems", problems.length)}><ul class="bare">${problems.map((problem) => html`<li>${problemText(problem)}</li>`)}</ul><//>`}
    <${StepFoot} step="privacy" go=${go} disabled=${!dataset || (problems.length > 0 && !following)}
      why=${t(dataset ? "privacy.first" : "data.first")} />
  `;
}

// What someone who has never done it should start from, as the server proposes it for these roles and recipients.
function useProposal(dataset, columns, audience, several) {
  const [found, setFound] = useState({});
  const asked = JSON.stringify({ roles: Object.fromEntries(columns.map(({ name, role }) => [name, role])), audience });
  const key = `${dataset?.id} ${asked}`;
  useEffect(() => {
    if (!dataset) return undefined;
    const stop = new AbortController();
    api.post(`/datasets/${dataset.id}/proposals/privacy`, JSON.parse(asked), { signal: stop.signal }).then(
      (proposed) => setFound({ key, proposed }),
      (problem) => problem.name !== "AbortError" && setFound({ key, problem }),
    );
    return () => stop.abort();
  }, [key]);
  if (found.key !== key) return {};
  // What several tables have in common must become the same in all of them, as only full-domain generalization does it.
  const method = several ? { name: "full-domain", quality: "loss", suppression: 0.02 } : { name: "auto", purpose: "analyse" };
  return { problem: found.problem, proposed: found.proposed && { ...found.proposed, method } };
}

/** What of a proposal is written into the project. */
const begun = (proposed) => ({ privacy: proposed?.privacy ?? [], method: proposed?.method });

function Why({ proposed }) {
  const [first, ...diverse] = proposed.privacy;
  const others = number(first.k - 1);
  return html`<p>${diverse.length ? tn("privacy.proposal.text", diverse.length, { others }) : t("privacy.proposal.plain", { others })}</p>
    ${first.known && html`<p>${t("privacy.proposal.known", { known: first.known, quasi: proposed.quasi_identifiers, k: first.k })}</p>`}
    ${diverse.length < proposed.sensitive && html`<p class="note">${t("privacy.proposal.some", { count: diverse.length })}</p>`}`;
}

// A light project asks for no models: what it had is dropped, and proposed again when it becomes complete.
function turn(document, kind, proposed) {
  if (kind === "light") {
    document.kind = "light";
    delete document.privacy;
    delete document.method;
  } else {
    delete document.kind;
    document.privacy ??= proposed.privacy;
    document.method ??= proposed.method;
  }
}
