// Step 7: is it safe enough, and is it still useful?
import { Attacks } from "../components/judging/attacks.js";
import { Compare } from "../components/judging/compare.js";
import { Early } from "../components/judging/early.js";
import { Distribution } from "../components/judging/distribution.js";
import { Frontier } from "../components/judging/frontier.js";
import { HandOver } from "../components/judging/hand_over.js";
import { Loss } from "../components/judging/loss.js";
import { Risk } from "../components/judging/risk.js";
import { RuleClauses } from "../components/judging/rule.js";
import { Verdict } from "../components/judging/verdict.js";
import { ErrorNotice, Loading } from "../components/notice.js";
import { Together } from "../components/judging/together.js";
import { StepFoot, StepHead, Tables } from "../components/steps.js";
import { NothingYet, Outdated, Which } from "../components/which.js";
import { html, useContext } from "../html.js";
import { hasEnded, isVerified, useChosen, useResult, useRuns } from "../runs.js";
import { partOf } from "../tables.js";
import { t } from "../words.js";

export default function JudgeStep({ project, save, go, dataset, meta }) {
  const { table, whole } = useContext(Tables);
  const { runs, problem } = useRuns(project.id);
  const { done, chosen, choose } = useChosen(project.id, runs);
  const early = runs?.find(isVerified);
  return html`<section class="step">
    <${StepHead} step="judge" term="risk" />
    <${ErrorNotice} error=${problem} />
    ${!runs && html`<${Loading} />`}
    ${early && html`<${Early} key=${early.id} run=${early} meta=${meta} />`}
    ${runs && !chosen && !early && html`<${NothingYet} go=${go} />`}
    ${!early && html`<${Which} ...${{ done, chosen, choose }} /><${Outdated} run=${chosen} project=${whole} go=${go} />`}
    ${chosen && !early && html`<${Judged} key=${chosen.id} ...${{ run: chosen, runs, project, save, dataset, meta, table }} />`}
    ${runs && dataset && html`<${Frontier} ...${{ runs, project, save, go, table }} />`}
    ${done.length > 1 && html`<${Compare} ...${{ done, project }} />`}
    <${StepFoot} step="judge" go=${go} disabled=${!chosen} why=${t(early ? "early.release" : "explore.first")} />
  </section>`;
}

function Judged({ run, runs, project, save, dataset, meta, table }) {
  const { value: result, problem } = useResult(run);
  const evidence = result && partOf(result, table);
  const tries = runs.filter((one) => one.kind === "assess" && one.asked?.run === run.id && (one.asked.table ?? "") === table);
  const assessed = useResult(tries.find((one) => one.state === "done"));
  const going = tries.find((one) => !hasEnded(one));
  if (problem) return html`<${ErrorNotice} error=${problem} />`;
  if (!result) return html`<${Loading} />`;
  if (!evidence) return null;
  const failed = !going && tries[0]?.state === "failed" ? tries[0].error : null;
  return html`${result.tables && html`<${Together} evidence=${result} />`}
    <${HandOver} ...${{ evidence, project, save }} />
    <${Verdict} evidence=${evidence} meta=${meta} table=${table} />
    <${RuleClauses} evidence=${evidence} meta=${meta} />
    <${Risk} evidence=${evidence} assessed=${assessed.value} />
    <${Attacks} ...${{ run, project, evidence, going, failed, assessed: assessed.value, problem: assessed.problem, dataset, table }} />
    <${Loss} evidence=${evidence} assessed=${assessed.value} />
    ${dataset && !evidence.released?.table && html`<${Distribution} ...${{ run, dataset, evidence, table }} />`}`;
}
