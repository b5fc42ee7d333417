// Step 9: erase what is no longer needed, and show that it is gone.
import { api } from "../api.js";
import { Button } from "../components/button.js";
import { Confirm } from "../components/dialog.js";
import { Gone } from "../components/gone.js";
import { CheckField } from "../components/field.js";
import { Icon } from "../components/icon.js";
import { Notice, announce } from "../components/notice.js";
import { StepFoot, StepHead, Tables } from "../components/steps.js";
import { html, useContext, useState } from "../html.js";
import { forgetAll, hasEnded, useRuns } from "../runs.js";
import { t, tn } from "../words.js";

export default function FinishStep({ project, go, reload }) {
  const { datasets } = useContext(Tables);
  const opened = Object.values(datasets).filter(Boolean);
  const [keep, setKeep] = useState(true);
  const [asking, setAsking] = useState(false);
  const [result, setResult] = useState(null);
  const { runs } = useRuns(project.id);
  const going = (runs ?? []).filter((run) => !hasEnded(run)).length;
  const erase = async () => {
    const found = await api.post("/finish", { project: project.id, keep_release: keep });
    forgetAll();
    setResult(found);
    reload?.();
    announce(t("finish.done"));
  };
  return html`<section class="step">
    <${StepHead} step="finish" />
    ${result ? html`<${Gone} result=${result} /><div class="buttons"><a class="button primary" href="/">${t("finish.home")}</a></div>` : html`
      <div class="will">
        <${Will} kind="erased" items=${[...opened.map((dataset) => t("finish.data", { name: dataset.name })), t("finish.stores"), t("finish.temporary"), t("finish.results"), !keep && t("finish.releases")]} />
        <${Will} kind="stays" items=${[t("finish.project"), keep && t("finish.releases"), t("finish.downloads"), opened.some((dataset) => !["upload", "example"].includes(dataset.origin)) && t("finish.source")]} />
      </div>
      <${CheckField} label=${t("finish.keep")} note=${t("finish.keep.note")} value=${keep} onChange=${setKeep} />
      ${going > 0 && html`<${Notice} kind="warning"><p>${tn("finish.going", going)}</p><//>`}
      <div class="buttons"><${Button} kind="primary" icon="bin" disabled=${going > 0} onClick=${() => setAsking(true)}>${t("finish.erase")}<//></div>`}
    <${Confirm} open=${asking} title=${t("finish.sure")} yes=${t("finish.yes")} danger act=${erase} onClose=${() => setAsking(false)}>
      <p>${t(keep ? "finish.sure.keep" : "finish.sure.all")}</p><p>${t("finish.sure.note")}</p>
    <//>
    <${StepFoot} step="finish" go=${go} />
  </section>`;
}

function Will({ kind, items }) {
  return html`<section class=${`panel will-one is-${kind}`}><h2><${Icon} name=${kind === "erased" ? "bin" : "check"} /> ${t(`finish.${kind}`)}</h2>
    <ul>${items.filter(Boolean).map((item) => html`<li key=${item}>${item}</li>`)}</ul></section>`;
}
