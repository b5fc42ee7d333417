// All methods that fit, at several k: drawn, and the one that is clicked goes into the project's settings.
import { Button } from "../../components/button.js";
import { withPoint } from "../../components/explorer/choice.js";
import { Frontier } from "../../components/explorer/frontier.js";
import { ErrorNotice, Loading, Notice, announce } from "../../components/notice.js";
import { Work } from "../../components/work.js";
import { html, useState } from "../../html.js";
import { doneOf, hasEnded, isOutdated, start, useResult } from "../../runs.js";
import { t } from "../../words.js";

export function AllMethods({ project, whole, table, runs, save, meta, dataset }) {
  const own = runs.filter((run) => run.kind === "frontier" && run.asked?.methods && (run.asked?.table ?? "") === table);
  const latest = doneOf(own, "frontier")[0];
  const going = own[0] && !hasEnded(own[0]) ? own[0] : null;
  const { value, problem } = useResult(latest);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const [taken, setTaken] = useState(false);
  const take = async (point, name) => {
    await save({ document: withPoint(project.document, point.k, value.settings[point.method]) });
    setTaken(true);
    const said = t("explore.frontier.taken", { k: point.k, method: name });
    announce(said);
    return said;
  };
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
    ${value && !taken && isOutdated(latest, whole) && html`<${Notice} kind="info"><p>${t("explore.frontier.stale")}</p><//>`}
    ${value && html`<${Frontier} key=${latest.id} found=${value} take=${t("explore.frontier.take")} onTake=${take} methods=${meta?.methods} />`}
  </section>`;
}
