// What a table of counts or sums is to have: dimensions, what is summed, what is sensitive, how cells are protected.
import { html, useState } from "../../html.js";
import { helpOf, summaryOf, titleOf } from "../../declared.js";
import { t } from "../../words.js";
import { Button } from "../../components/button.js";
import { CheckField, RadioCards, SelectField } from "../../components/field.js";
import { DeclaredForm, starting } from "../../components/form.js";
import { Dimensions } from "./dimensions.js";

const NUMBERS = ["integer", "decimal"];
const WHOLE = ["dominance", "cell-key"]; // nothing of them is folded away
const OF_SUMS = ["dominance", "p-percent"];
// What a form begins with where the declaration has no obvious value.
const BEGIN = { threshold: { k: 5 }, dominance: { n: 1, k: 75 }, "p-percent": { p: 10 }, rounding: { base: 5 }, laplace: { epsilon: 1 }, gaussian: { epsilon: 1 } };

export function CountsForm({ dataset, meta, attributes, begun, busy, onMake }) {
  const columns = dataset.columns;
  const [asked, setAsked] = useState(() => begun ?? beginning(attributes, columns));
  const change = (part) => setAsked((now) => ({ ...now, ...part }));
  const { name, ...parameters } = asked.protection;
  const protection = meta.protections.find((one) => one.name === name);
  const isPrivate = protection.capabilities.omits_hidden;
  const rules = isPrivate ? [] : meta.rules.filter((one) => asked.measure || !OF_SUMS.includes(one.name));
  const taken = new Set([...asked.dimensions.map((one) => one.column), asked.measure, ...asked.person]);
  const free = (own) => columns.filter((column) => column.name === own || !taken.has(column.name));
  const sum = (measure) => change({ measure: measure || null, ...(measure && !protection.capabilities.sums ? { protection: { name: "suppression" } } : {}) });
  const body = {
    ...asked,
    dimensions: isPrivate ? asked.dimensions.map(({ column }) => ({ column })) : asked.dimensions,
    rules: asked.rules.filter((rule) => rules.some((one) => one.name === rule.rule)),
  };
  const why = !asked.dimensions.length ? t("counts.need.column")
    : protection.capabilities.needs_keys && !asked.person.length ? t("counts.need.person")
      : protection.capabilities.needs_rules && !body.rules.length ? t("counts.need.rule") : null;
  return html`<form class="stack" onSubmit=${(event) => { event.preventDefault(); onMake(body); }}>
    <section class="panel" aria-labelledby="counts-what">
      <h2 id="counts-what">${t("counts.what")}</h2>
      <${Dimensions} dataset=${dataset} attributes=${attributes} value=${asked.dimensions} free=${free()} subtotals=${!isPrivate} onChange=${(dimensions) => change({ dimensions })} />
      <div class="fields">
        <${SelectField} label=${t("counts.measure")} note=${t("counts.measure.note")} value=${asked.measure ?? ""} onChange=${sum}
          options=${[["", t("counts.measure.none")], ...free(asked.measure).filter((column) => NUMBERS.includes(column.type)).map((column) => column.name)]} />
        <${SelectField} label=${t("counts.person")} note=${t("counts.person.note")} value=${asked.person[0] ?? ""} onChange=${(column) => change({ person: column ? [column] : [] })}
          options=${[["", t("counts.person.none")], ...free(asked.person[0]).map((column) => column.name)]} />
      </div>
    </section>
    <section class="panel" aria-labelledby="counts-protection">
      <h2 id="counts-protection">${t("counts.protection")}</h2>
      <${RadioCards} legend=${t("counts.protection.legend")} value=${name} onChange=${(chosen) => change({ protection: { name: chosen, ...start(meta.protections, chosen) } })}
        options=${meta.protections.filter((one) => !asked.measure || one.capabilities.sums).map((one) => ({ value: one.name, title: titleOf("protection", one), note: summaryOf("protection", one) }))} />
      <${DeclaredForm} key=${name} whole=${WHOLE.includes(name)} declaration=${protection} value=${parameters} onChange=${(own) => change({ protection: { name, ...own } })} />
      ${isPrivate && html`<p class="note">${t("counts.private")}</p>`}
    </section>
    ${rules.length > 0 && html`<section class="panel" aria-labelledby="counts-rules">
      <h2 id="counts-rules">${t("counts.rules")}</h2>
      ${rules.map((rule) => html`<${Rule} key=${rule.name} rule=${rule} value=${asked.rules.find((one) => one.rule === rule.name)}
        onChange=${(own) => change({ rules: [...asked.rules.filter((one) => one.rule !== rule.name), ...(own ? [{ rule: rule.name, ...own }] : [])] })} />`)}
    </section>`}
    <div class="buttons"><${Button} kind="primary" icon="play" type="submit" busy=${busy} disabled=${Boolean(why)} aria-describedby=${why ? "counts-why" : undefined}>${t("counts.make")}<//>
      ${why && html`<p class="note" id="counts-why">${why}</p>`}</div>
  </form>`;
}

function Rule({ rule, value, onChange }) {
  const { rule: _, ...own } = value ?? {};
  return html`<div class="stack">
    <${CheckField} label=${titleOf("rule", rule)} help=${helpOf("rule", rule)} note=${summaryOf("rule", rule)} value=${Boolean(value)} onChange=${(on) => onChange(on ? start([rule], rule.name) : null)} />
    ${value && html`<${DeclaredForm} whole=${WHOLE.includes(rule.name)} declaration=${rule} value=${own} onChange=${onChange} />`}
  </div>`;
}

const start = (declared, name) => BEGIN[name] ?? starting(declared.find((one) => one.name === name));

/** What a table begins with: people are counted where the project says who is who. */
function beginning(attributes, columns) {
  const person = columns.find((column) => attributes[column.name]?.role === "person");
  return { dimensions: [], measure: null, person: person ? [person.name] : [], rules: [{ rule: "threshold", ...BEGIN.threshold }], protection: { name: "suppression" } };
}
