// Step 7: is it safe enough, and is it still useful?
import { Attacks } from "../components/judging/attacks.js";
import { Compare } from "../components/judging/compare.js";
import { Distribution } from "../components/judging/distribution.js";
import { Frontier } from "../components/judging/frontier.js";
import { Loss } from "../components/judging/loss.js";
import { Risk } from "../components/judging/risk.js";
import { Verdict } from "../components/judging/verdict.js";
import { ErrorNotice, Loading } from "../components/notice.js";
import { StepFoot, StepHead } from "../components/steps.js";
import { NothingYet, Which } from "../components/which.js";
import { html } from "../html.js";
import { hasEnded, useChosen, useResult, useRuns } from "../runs.js";
import { t } from "../words.js";

export default function JudgeStep({ project, save, go, dataset, meta }) {
  const { runs, problem } = useRuns(project.id);
  const { done, chosen, choose } = useChosen(project.id, runs);
  return html`<section class="step">
    <${StepHead} step="judge" term="risk" />
    <${ErrorNotice} error=${problem} />
    ${!runs && html`<${Loading} />`}
    ${runs && !chosen && html`<${NothingYet} go=${go} />`}
    <${Which} ...${{ done, chosen, choose }} />
    ${chosen && html`<${Judged} key=${chosen.id} ...${{ run: chosen, runs, project, dataset, save, go, meta }} />`}
    ${runs && dataset && html`<${Frontier} ...${{ runs, project, save, go }} />`}
    ${done.length > 1 && html`<${Compare} ...${{ done, project }} />`}
    <${StepFoot} back="explore" next="release" go=${go} disabled=${!chosen} why=${t("explore.first")} />
  </section>`;
}

function Judged({ run, runs, project, dataset, meta }) {
  const { value: evidence, problem } = useResult(run);
  const tries = runs.filter((one) => one.kind === "assess" && one.asked?.run === run.id);
  const assessed = useResult(tries.find((one) => one.state === "done"));
  const going = tries.find((one) => !hasEnded(one));
  if (problem) return html`<${ErrorNotice} error=${problem} />`;
  if (!evidence) return html`<${Loading} />`;
  const failed = !going && tries[0]?.state === "failed" ? tries[0].error : null;
  return html`<${Verdict} evidence=${evidence} meta=${meta} />
    <${Risk} evidence=${evidence} assessed=${assessed.value} />
    <${Attacks} ...${{ run, project, evidence, going, failed, assessed: assessed.value, problem: assessed.problem, dataset }} />
    <${Loss} evidence=${evidence} assessed=${assessed.value} />
    ${dataset && html`<${Distribution} ...${{ run, dataset, evidence }} />`}`;
}
