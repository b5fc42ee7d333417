// A hierarchy by a rule: intervals, the calendar, masking, groups; what it makes of the values is shown while one types.
import { titleOf } from "../../declared.js";
import { html, useEffect, useState } from "../../html.js";
import { LevelsOf } from "../../steps/hierarchies/levels.js";
import { t } from "../../words.js";
import { Button, IconButton } from "../button.js";
import { CheckField, NumberField, SelectField, TextField } from "../field.js";

const RULES = ["intervals", "dates", "masking", "groups", "flat"];
const UNITS = ["day", "week", "month", "quarter", "year", "decade", "century"];
const PAUSE = 400; // milliseconds after the last key until it is shown

/** What each rule begins with. */
const START = { intervals: { intervals: [5, 10, 20] }, dates: { dates: ["month", "year", "decade"] }, masking: { masking: 1 }, groups: { groups: {} }, flat: { flat: true } };

const ruleOf = (value) => RULES.find((name) => value && typeof value === "object" && name in value);

export function RuleView({ about, value, onChange }) {
  const [rule, setRule] = useState(() => (ruleOf(value) ? value : START.intervals));
  const [shown, setShown] = useState(rule);
  useEffect(() => {
    const timer = setTimeout(() => setShown(rule), PAUSE);
    return () => clearTimeout(timer);
  }, [rule]);
  const name = ruleOf(rule);
  const Form = { intervals: Intervals, dates: Dates, masking: Masking, groups: Groups }[name];
  const said = complete(rule);
  return html`<div class="stack rule">
    <${SelectField} class="which" label=${t("tree.rule")} value=${name} options=${RULES.map((one) => [one, titleOf("hierarchy", one)])} onChange=${(next) => setRule(ruleOf(value) === next ? value : START[next])} />
    ${Form && html`<${Form} key=${name} rule=${rule} onChange=${setRule} />`}
    <h4>${t("tree.rule.preview")}</h4>
    ${complete(shown) ? html`<${LevelsOf} dataset=${{ id: about.dataset }} column=${about.column} hierarchy=${shown} />` : html`<p class="note">${t("tree.rule.incomplete")}</p>`}
    <div class="buttons"><${Button} kind="primary" icon="check" disabled=${!said || JSON.stringify(rule) === JSON.stringify(value)} onClick=${() => onChange(rule)}>${t("tree.rule.use")}<//></div>
  </div>`;
}

/** Whether enough is said for levels to be made of it. */
function complete(rule) {
  const name = ruleOf(rule);
  if (name === "groups") return Object.keys(rule.groups).length > 0;
  return Array.isArray(rule[name]) ? rule[name].length > 0 : Boolean(rule[name]);
}

function Intervals({ rule, onChange }) {
  const [typed, setTyped] = useState(rule.intervals.join("; "));
  const change = (text) => {
    setTyped(text);
    const widths = text.split(/[;\s]+/).filter(Boolean).map((one) => Number(one.replace(",", ".")));
    onChange({ ...rule, intervals: widths.every((one) => one > 0) ? widths : [] });
  };
  return html`<div class="fields">
    <${TextField} label=${t("tree.rule.widths")} note=${t("tree.rule.widths.note")} value=${typed} onChange=${change} inputmode="decimal" />
    <${NumberField} label=${t("tree.rule.origin")} note=${t("tree.rule.origin.note")} value=${rule.origin === undefined ? 0 : Number(rule.origin)} onChange=${(origin) => onChange(without(rule, "origin", origin))} />
    <${CheckField} label=${t("tree.rule.closed")} value=${rule.closed} onChange=${(closed) => onChange(without(rule, "closed", closed))} />
  </div>`;
}

/** A rule with a parameter, or without it where it says nothing. */
function without(rule, key, value) {
  const { [key]: _, ...rest } = rule;
  return value ? { ...rest, [key]: value } : rest;
}

function Dates({ rule, onChange }) {
  const toggle = (unit) => (on) => onChange({ ...rule, dates: UNITS.filter((one) => (one === unit ? on : rule.dates.includes(one))) });
  return html`<fieldset class="units"><legend>${t("tree.rule.units")}</legend>
    ${UNITS.map((unit) => html`<${CheckField} key=${unit} label=${t(`tree.unit.${unit}`)} value=${rule.dates.includes(unit)} onChange=${toggle(unit)} />`)}</fieldset>`;
}

function Masking({ rule, onChange }) {
  return html`<div class="fields"><${NumberField} whole min="1" label=${t("tree.rule.step")} note=${t("tree.rule.step.note")} value=${rule.masking} onChange=${(step) => onChange({ ...rule, masking: step })} /></div>`;
}

function Groups({ rule, onChange }) {
  const [rows, setRows] = useState(() => (Array.isArray(rule.groups) ? [] : Object.entries(rule.groups).map(([name, values]) => [name, values.join("; ")])));
  const put = (next) => {
    setRows(next);
    const told = next.map(([name, values]) => [name.trim(), values.split(";").map((one) => one.trim()).filter(Boolean)]);
    onChange({ ...rule, groups: Object.fromEntries(told.filter(([name, values]) => name && values.length)) });
  };
  const edit = (at, side) => (text) => put(rows.map((row, index) => (index === at ? row.map((cell, i) => (i === side ? text : cell)) : row)));
  return html`<div class="stack">
    ${rows.map(([name, values], at) => html`<div class="fields group-line" key=${at}>
      <${TextField} label=${t("tree.rule.group", { number: at + 1 })} value=${name} onChange=${edit(at, 0)} />
      <${TextField} label=${t("tree.rule.values", { number: at + 1 })} note=${t("tree.rule.values.note")} value=${values} onChange=${edit(at, 1)} />
      <${IconButton} icon="bin" label=${t("app.remove.what", { what: name || number(at) })} onClick=${() => put(rows.filter((_, index) => index !== at))} />
    </div>`)}
    <div class="buttons"><${Button} small icon="add" onClick=${() => setRows([...rows, ["", ""]])}>${t("tree.rule.addGroup")}<//></div>
    <${TextField} class="which" label=${t("tree.rule.rest")} note=${t("tree.rule.rest.note")} value=${rule.rest} onChange=${(rest) => onChange(without(rule, "rest", rest))} />
  </div>`;
}

const number = (at) => String(at + 1);
