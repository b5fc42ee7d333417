// Step 3: how the values of each quasi-identifier become less exact, level by level.
import { api } from "../api.js";
import { html, useEffect, useState } from "../html.js";
import { t, tn } from "../words.js";
import { Button } from "../components/button.js";
import { lazy } from "../components/lazy.js";
import { ErrorNotice, Notice, announce } from "../components/notice.js";
import { Proposal, StepFoot, StepHead } from "../components/steps.js";
import { LevelsOf } from "./hierarchies/levels.js";

const HierarchyEditor = lazy(
  () => import("../components/hierarchy.js"),
  (module) => module.HierarchyEditor ?? module.default,
);

// A method that needs no hierarchies uses them only for the order of categories; one that tries others, as those do.
function mayDoWithout(method, meta) {
  const { capabilities } = meta?.methods?.find((one) => one.name === method?.name) ?? {};
  return capabilities?.needs_hierarchies === false && !capabilities.tries_others;
}

export default function HierarchiesStep({ project, save, go, dataset, meta }) {
  const attributes = project.document?.attributes ?? {};
  const quasi = Object.keys(attributes).filter(
    (name) => attributes[name].role === "quasi-identifier" && dataset?.columns.some((column) => column.name === name),
  );
  const sensitive = Object.keys(attributes).filter((name) => attributes[name].role === "sensitive");
  const [proposed, setProposed] = useState({});
  const [error, setError] = useState(null);
  const [open, setOpen] = useState(null);
  const [busy, setBusy] = useState(false);
  // What is released as one value of each class needs none.
  const lacking = quasi.filter((name) => !attributes[name].hierarchy && !attributes[name].microaggregate);

  const ask = async () => {
    setError(null);
    try {
      for (const name of quasi) {
        const found = await api.get(`/datasets/${dataset.id}/proposals/hierarchy?column=${encodeURIComponent(name)}`);
        setProposed((before) => ({ ...before, [name]: found }));
      }
    } catch (problem) {
      setError(problem);
    }
  };
  useEffect(() => {
    if (dataset) ask();
  }, [dataset?.id, JSON.stringify(quasi)]);

  const put = (changes) =>
    save({
      document: (document) => {
        for (const [name, hierarchy] of Object.entries(changes)) {
          if (hierarchy) document.attributes[name].hierarchy = hierarchy;
          else delete document.attributes[name].hierarchy;
        }
      },
    });
  const take = async () => {
    setBusy(true);
    await put(
      Object.fromEntries(
        lacking.filter((name) => proposed[name]?.hierarchy).map((name) => [name, proposed[name].hierarchy]),
      ),
    ).catch(() => null);
    announce(t("hierarchies.taken"));
    setBusy(false);
  };
  const next = async (to) => {
    const ready = lacking.filter((name) => proposed[name]?.hierarchy);
    if (ready.length && !mayDoWithout(project.document?.method, meta)) await take();
    go(to);
  };
  if (!dataset)
    return html`<${StepHead} step="hierarchies" term="hierarchy" /><${Notice} kind="info"><p>${t("data.first")}</p><//><${StepFoot} step="hierarchies" stay go=${go} />`;
  const waiting = lacking.some((name) => !proposed[name]);
  return html`
    <${StepHead} step="hierarchies" term="hierarchy" />
    <${ErrorNotice} error=${error} onRetry=${ask} />
    ${quasi.length === 0 && html`<${Notice} kind="info"><p>${t("hierarchies.none")}</p><//>`}
    ${
      quasi.length > 0 &&
      html`<${Proposal} taken=${lacking.length === 0} title=${lacking.length ? tn("hierarchies.lacking", lacking.length) : t("hierarchies.taken")} yes=${t("hierarchies.take")} busy=${busy || (waiting && !error)} onTake=${lacking.length ? take : null}>
      <p>${lacking.length ? t("hierarchies.proposal") : t("hierarchies.taken.text")}</p>
    <//>`
    }
    ${quasi.map((name) => html`<${Column} key=${name} name=${name} dataset=${dataset} value=${attributes[name].hierarchy} proposal=${proposed[name]} open=${open === name} onOpen=${() => setOpen(open === name ? null : name)} onChange=${(hierarchy) => put({ [name]: hierarchy }).catch(() => null)} />`)}
    ${
      sensitive.length > 0 &&
      html`<details><summary>${t("hierarchies.sensitive")}</summary><div class="stack"><p class="note">${t("hierarchies.sensitive.text")}</p>
      ${sensitive.map((name) => html`<${Column} key=${name} name=${name} dataset=${dataset} value=${attributes[name].hierarchy} open=${open === name} onOpen=${() => setOpen(open === name ? null : name)} onChange=${(hierarchy) => put({ [name]: hierarchy }).catch(() => null)} />`)}</div></details>`
    }
    <${StepFoot} step="hierarchies" go=${go} onNext=${next} />
  `;
}

function Column({ name, dataset, value, proposal, open, onOpen, onChange }) {
  const shown = value ?? proposal?.hierarchy;
  const differs = value && proposal?.hierarchy && JSON.stringify(value) !== JSON.stringify(proposal.hierarchy);
  return html`<section class="panel" aria-label=${name}>
    <div class="panel-head">
      <h2>${name} <span
        class=${`badge ${value ? "good" : ""}`}>${t(value ? (differs ? "hierarchies.own" : "hierarchies.kept") : "hierarchies.proposed")}</span></h2>
      <div class="buttons">
        ${!value && proposal?.hierarchy && html`<${Button} small icon="check" kind="primary" onClick=${() => onChange(proposal.hierarchy)}>${t("hierarchies.use")}<//>`}
        ${differs && html`<${Button} small onClick=${() => onChange(proposal.hierarchy)}>${t("hierarchies.back")}<//>`}
        <${Button} small icon=${open ? "up" : "pencil"} aria-expanded=${open ? "true" : "false"}
          onClick=${onOpen}>${t(open ? "hierarchies.close" : "hierarchies.edit")}<//>
      </div>
    </div>
    ${!value && proposal?.reason && html`<p class="note">${proposal.reason}</p>`}
    ${
      open
        ? html`<${HierarchyEditor} dataset=${dataset} column=${name} value=${shown} onChange=${onChange} />`
        : shown && html`<${LevelsOf} dataset=${dataset} column=${name} hierarchy=${shown} />`
    }
  </section>`;
}
