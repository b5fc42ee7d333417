// A survey: which column says how many people a record stands for, which records live together, and the strata.
import { html } from "../../html.js";
import { t } from "../../words.js";
import { CheckField, SelectField } from "../../components/field.js";
import { Fold } from "../../components/fold.js";

export function Survey({ columns, value = {}, found = {}, change }) {
  const put = (key, next) =>
    change((copy) => {
      const told = { ...copy.survey, [key]: next };
      if (!next || next.length === 0) delete told[key];
      if (Object.keys(told).length) copy.survey = told;
      else delete copy.survey;
    });
  const strata = value.strata ?? [];
  const flip = (name, on) => put("strata", on ? [...strata, name] : strata.filter((other) => other !== name));
  const options = [["", t("survey.none")], ...columns.map(({ name }) => name)];
  const column = (key) => html`<${SelectField} label=${t(`survey.${key}`)} value=${value[key] ?? ""} options=${options}
    note=${!value[key] && found[key] ? t("survey.found", { column: found[key] }) : t(`survey.${key}.note`)}
    onChange=${(next) => put(key, next)} />`;
  const used = Object.keys(value).length > 0 || Object.keys(found).length > 0;
  return html`<section class="panel"><${Fold} open=${used} title=${t("survey.title")}><div class="stack">
    <p>${t("survey.text")}</p>
    <div class="fields">${column("weight")}${column("household")}</div>
    <fieldset class="field"><legend>${t("survey.strata")}</legend>
      <div class="ticks">${columns.map(({ name }) => html`<${CheckField} key=${name} label=${name} value=${strata.includes(name)} onChange=${(on) => flip(name, on)} />`)}</div>
      <p class="note">${t("survey.strata.note")}</p>
    </fieldset>
  </div><//></section>`;
}
