// Step 2: what each column may give away about a person.
import { api } from "../api.js";
import { html, useContext, useEffect, useMemo, useState } from "../html.js";
import { number, t, tn } from "../words.js";
import { titleOf } from "../declared.js";
import { SelectField, TextField } from "../components/field.js";
import { Button } from "../components/button.js";
import { ErrorNotice, Loading, Notice, announce } from "../components/notice.js";
import { Proposal, StepFoot, StepHead, Tables } from "../components/steps.js";
import { Combination } from "./roles/combination.js";
import { Survey } from "./roles/survey.js";
import { RuleChoice, followRule, leaveRule, ruleOf } from "./roles/rule.js";
import { RoleTable, ROLES, RoleName, RolesAtOnce } from "./roles/table.js";

const MANY = 12; // columns from which one searches and selects
const SHOWN = 100; // columns at a time: a table may have thousands

export default function RolesStep({ project, save, go, dataset, meta }) {
  const { several } = useContext(Tables);
  const followed = ruleOf(project.document);
  const [rule, setRule] = useState(followed);
  const [known, setKnown] = useState({}); // what is proposed, by the rule that it is proposed by
  const [error, setError] = useState(null);
  const [sought, setSought] = useState("");
  const [most, setMost] = useState(SHOWN);
  const [only, setOnly] = useState("");
  const [picked, setPicked] = useState(new Set());
  const attributes = project.document?.attributes ?? {};
  const columns = dataset?.columns ?? [];

  const ask = () => {
    setError(null);
    const path = rule ? `preset?name=${rule}` : "roles";
    api.get(`/datasets/${dataset.id}/proposals/${path}`).then((found) => setKnown((now) => ({ ...now, [rule]: found })), setError);
  };
  useEffect(() => {
    if (dataset) ask();
  }, [dataset?.id, rule]);
  const proposed = known[rule]?.columns;

  const roles = useMemo(
    () =>
      Object.fromEntries(
        // Another rule than the one that is followed shows what it would make of the columns.
        columns.map(({ name }) => [name, (rule === followed && attributes[name]?.role) || proposed?.[name]?.role || "decide"]),
      ),
    [columns, attributes, proposed, rule, followed],
  );
  if (!dataset)
    return html`<${StepHead} step="roles" term="role" /><${Notice} kind="info"><p>${t("data.first")}</p><//><${StepFoot} step="roles" stay go=${go} />`;
  const decided = rule === followed && columns.every(({ name }) => attributes[name]?.role);
  const own = proposed ? columns.filter(({ name }) => proposed[name] && roles[name] !== proposed[name].role).length : 0;
  // What is shown is what is kept: the first change takes the proposals for the other columns too.
  const keep = (changes, anew = rule !== followed) =>
    save({
      document: (document) => {
        if (anew && rule) followRule(document, known[rule]);
        else if (anew) leaveRule(document, known[followed]);
        document.attributes ??= {};
        for (const { name } of columns) {
          const role = changes[name] ?? roles[name];
          const known = { ...(document.attributes[name] ?? {}), role };
          if (role === "identifier" || role === "insensitive") delete known.hierarchy;
          document.attributes[name] = known;
        }
      },
    });
  const take = async () => {
    const all = Object.fromEntries(columns.map(({ name }) => [name, proposed[name]?.role ?? "decide"]));
    await keep(all, rule !== followed || Boolean(rule)).catch(() => null);
    announce(t(rule ? "rule.taken" : "roles.taken"));
  };
  const next = async (to) => {
    if (!decided) await keep({}).catch(() => null);
    go(to);
  };
  const byRule = Object.values(proposed ?? {}).filter((one) => one.by_rule).length;
  const quasi = columns.filter(({ name }) => roles[name] === "quasi-identifier").map(({ name }) => name);
  const undecided = columns.filter(({ name }) => roles[name] === "decide").map(({ name }) => name);
  const many = columns.length > MANY;
  const found = columns.filter(({ name }) => name.toLowerCase().includes(sought.toLowerCase()) && (!only || roles[name] === only));
  const pick = (names, on) => setPicked((now) => new Set(on ? [...now, ...names] : [...now].filter((name) => !names.includes(name))));
  const setAll = async (role) => {
    await keep(Object.fromEntries([...picked].map((name) => [name, role]))).catch(() => null);
    announce(tn("roles.set", picked.size, { role: titleOf("role", role) }));
    setPicked(new Set());
  };
  const light = project.document?.kind === "light";
  const title = decided
    ? own ? tn("roles.own", own) : t(rule ? "rule.taken" : "roles.taken")
    : rule ? t("rule.proposal", { rule: t(`rule.${rule}`) }) : t("roles.proposal");
  return html`
    <${StepHead} step="roles" term="role" />
    ${!several && html`<${RuleChoice} meta=${meta} value=${rule} onChange=${setRule} />`}
    <${ErrorNotice} error=${error} onRetry=${ask} />
    ${!proposed && !error && html`<${Loading} words=${t("roles.looking")} />`}
    ${
      proposed &&
      html`<${Proposal} taken=${decided} title=${title} yes=${t(rule ? "rule.take" : "roles.take")} onTake=${decided ? null : take}>
      <ul
        class="counts">${ROLES.map((role) => html`<li key=${role}><strong>${number(Object.values(roles).filter((one) => one === role).length)}</strong> <${RoleName} role=${role} /></li>`)}</ul>
      ${rule && proposed && html`<p>${tn("rule.columns", byRule)} ${t("rule.models", { k: known[rule].privacy[0].k })}</p>`}
      ${own > 0 && html`<div class="buttons"><${Button} small onClick=${take}>${t("roles.back")}<//></div>`}
    <//>`
    }
    ${
      proposed &&
      html`<div class="stack">
      <div class="panel-head"><h2>${t("roles.columns")}</h2>
        ${many && html`<div class="fields"><${TextField} label=${t("roles.search")} type="search" value=${sought} onChange=${setSought} />
          <${SelectField} label=${t("roles.only")} value=${only} options=${[["", t("roles.only.all")], ...ROLES.map((role) => [role, titleOf("role", role)])]} onChange=${setOnly} /></div>`}
      </div>
      <${RolesAtOnce} picked=${many && picked} onSet=${setAll} onClear=${() => setPicked(new Set())} />
      <${RoleTable} columns=${found.slice(0, most)} roles=${roles} proposed=${proposed} picked=${many ? picked : null} onPick=${pick}
        onChange=${(name, role) => keep({ [name]: role }).catch(() => null)} />
      ${found.length > most && html`<div class="buttons"><${Button} onClick=${() => setMost(most + SHOWN)}>${t("roles.more", { count: found.length - most })}<//></div>`}
    </div>`
    }
    ${proposed && quasi.length > 1 && html`<${Combination} dataset=${dataset} quasi=${quasi} onUse=${(chosen) => keep(Object.fromEntries(quasi.map((name) => [name, chosen.includes(name) ? "quasi-identifier" : "insensitive"]))).catch(() => null)} />`}
    ${proposed && html`<${Survey} columns=${columns.slice(0, SHOWN)} value=${project.document?.survey} found=${known[""]?.survey} change=${(edit) => save({ document: edit }).catch(() => null)} />`}
    ${(proposed || error) && undecided.length > 0 && html`<${Notice} kind="warning"><p>${t("roles.undecided", { columns: undecided.join(", ") })}</p><//>`}
    ${proposed && quasi.length === 0 && !light && html`<${Notice} kind="warning"><p>${t("roles.none")}</p><//>`}
    <${StepFoot} step="roles" go=${go} onNext=${next} disabled=${!proposed} />
  `;
}
