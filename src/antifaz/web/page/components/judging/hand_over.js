// First of all: may this be handed over, what speaks against it, and what to do about that.
import { html } from "../../html.js";
import { t } from "../../words.js";
import { Icon } from "../icon.js";
import { Notice } from "../notice.js";

const KINDS = { yes: "good", "with care": "warning", no: "bad" };

export function HandOver({ evidence }) {
  const verdict = evidence.verdict;
  if (!verdict) return null;
  return html`<section class="panel" aria-labelledby="judge-hand-over">
    <h2 id="judge-hand-over">${t("judge.handOver")}</h2>
    <${Notice} kind=${KINDS[verdict.hand_over]} title=${verdict.words} />
    <ul class="verdicts">${verdict.findings.map((finding) => html`<li class=${finding.weight === "yes" ? "is-good" : "is-bad"}>
      <${Icon} name=${finding.weight === "yes" ? "info" : "warning"} />
      <div>${finding.words}
        ${finding.weight !== "yes" && html`<p class="note">${finding.remedy.words} ${finding.remedy.line && html`<code>${finding.remedy.line}</code>`}</p>`}
      </div></li>`)}</ul>
  </section>`;
}
