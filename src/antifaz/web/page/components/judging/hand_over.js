// First of all: may this be handed over, what speaks against it, and what to do about that.
import { html, useState } from "../../html.js";
import { t } from "../../words.js";
import { Button } from "../button.js";
import { Icon } from "../icon.js";
import { ErrorNotice, Notice, announce } from "../notice.js";
import { withChange } from "../remedy.js";

const KINDS = { yes: "good", "with care": "warning", no: "bad" };
const SHORT = 80; // characters of a line that is shown as it is

/** `save` puts a remedy into the settings; without it they are only told. */
export function HandOver({ evidence, project, save }) {
  const verdict = evidence.verdict;
  if (!verdict) return null;
  return html`<section class="panel" aria-labelledby="judge-hand-over">
    <h2 id="judge-hand-over">${t("judge.handOver")}</h2>
    <${Notice} kind=${KINDS[verdict.hand_over]} title=${verdict.words} />
    <ul class="verdicts findings">${verdict.findings.map((finding) => html`<li class=${finding.weight === "yes" ? "is-good" : "is-bad"}>
      <${Icon} name=${finding.weight === "yes" ? "info" : "warning"} />
      <div>${finding.words}
        ${(finding.weight !== "yes" || finding.remedy.change) && html`<${Remedied} remedy=${finding.remedy} document=${project?.document} save=${save} />`}
      </div></li>`)}</ul>
  </section>`;
}

/** What to do: in words, by a click, and as the project file says it. */
function Remedied({ remedy, document, save }) {
  const [done, setDone] = useState(false);
  const [error, setError] = useState(null);
  const take = () =>
    save({ document: withChange(document, remedy.change) }).then(() => {
      setDone(true);
      announce(t("judge.remedy.taken"));
    }, setError);
  const { words, line, change } = remedy;
  return html`<p class="note">${words} ${line?.length <= SHORT && html`<code>${line}</code>`}</p>
    ${line?.length > SHORT && html`<details class="note"><summary>${t("judge.remedy.line")}</summary><code>${line}</code></details>`}
    ${change && save && document && !done && html`<${Button} small icon="check" onClick=${take}>${t("judge.remedy.take")}<//>`}
    ${done && html`<p class="note"><${Icon} name="check" size=${16} /> ${t("judge.remedy.taken")}</p>`}
    <${ErrorNotice} error=${error} />`;
}
