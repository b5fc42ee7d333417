// A rule that the release is to follow, such as HIPAA Safe Harbor: it fills in columns, hierarchies and models.
import { html } from "../../html.js";
import { t } from "../../words.js";
import { SelectField } from "../../components/field.js";

/** The rule that a document follows; the empty name where it follows none. */
export const ruleOf = (document) => document?.preset?.name ?? document?.preset ?? "";

export function RuleChoice({ meta, value, onChange }) {
  const rule = meta?.presets?.find((one) => one.name === value);
  return html`<section class="panel" aria-labelledby="rule">
    <h2 id="rule">${t("rule.title")}</h2>
    <${SelectField} label=${t("rule.choose")} value=${value} onChange=${onChange}
      options=${[["", t("rule.none")], ...(meta?.presets ?? []).map(({ name }) => [name, t(`rule.${name}`)])]} />
    ${rule && html`<p>${t(`rule.${value}.text`)}</p>`}
    <p class="note">${rule && `${rule.source}. `}${t(rule ? "rule.person" : "rule.why")}</p>
  </section>`;
}

/** Fill a document in by a rule, as `antifaz init --preset` does. */
export function followRule(document, filled) {
  if (ruleOf(document) !== filled.preset) document.preset = filled.preset;
  document.attributes = Object.fromEntries(
    Object.entries(filled.columns).map(([name, { settings }]) => {
      const type = document.attributes?.[name]?.type;
      return [name, { ...(type ? { type } : {}), ...structuredClone(settings) }];
    }),
  );
  delete document.kind;
  document.privacy = structuredClone(filled.privacy);
  document.method = { ...filled.method };
  document.release = { ...document.release, audience: filled.audience };
}

/** Follow no rule any more: what it said of columns goes, the models stay for a person to change. */
export function leaveRule(document, filled) {
  delete document.preset;
  for (const [name, { settings, by_rule: byRule }] of Object.entries(filled?.columns ?? {})) {
    if (!byRule || !document.attributes?.[name]) continue;
    for (const key of Object.keys(settings))
      if (JSON.stringify(document.attributes[name][key]) === JSON.stringify(settings[key])) delete document.attributes[name][key];
  }
}
