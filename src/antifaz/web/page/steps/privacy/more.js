// What few need to say: the seed, a hardened run, a sample, the memory, missing values, one value for each class.
import { html } from "../../html.js";
import { t } from "../../words.js";
import { CheckField, NumberField, SelectField, TextField } from "../../components/field.js";

const MISSING = ["category", "most-frequent", "median", "drop"];
const VALUES = ["none", "mean", "median", "mode", "interval"];

export function More({ document, change, meta, dataset }) {
  const set = (key) => (value) =>
    change((copy) => void (value === null || value === "" ? delete copy[key] : (copy[key] = value)));
  const setIn = (part, key) => (value) =>
    change((copy) => {
      const inner = { ...(copy[part] ?? {}) };
      if (value === null || value === "") delete inner[key];
      else inner[key] = value;
      if (Object.keys(inner).length) copy[part] = inner;
      else delete copy[part];
    });
  const quasi = Object.entries(document.attributes ?? {}).filter(([, one]) => one.role === "quasi-identifier");
  const setOf = (name, key, usual) => (value) =>
    change((copy) => void (value === usual ? delete copy.attributes[name][key] : (copy.attributes[name][key] = value)));
  return html`<section class="panel"><details><summary>${t("privacy.more")}</summary><div class="stack">
    <div class="fields">
      <${NumberField} label=${t("privacy.seed")} help="seed" note=${t("privacy.seed.note")} whole value=${document.seed}
        onChange=${set("seed")} />
      <${NumberField} label=${t("privacy.sample")} help="sample" note=${t("privacy.sample.note")} min="0"
        value=${document.sample} onChange=${set("sample")} />
      <${TextField} label=${t("privacy.memory")} note=${t("privacy.memory.note")} value=${document.engine?.memory}
        onChange=${setIn("engine", "memory")} />
    </div>
    ${(document.engine?.name === "spark" || (meta?.spark && dataset?.origin === "path")) && html`<${CheckField} label=${t("privacy.spark")} note=${t("privacy.spark.note")} value=${document.engine?.name === "spark"} onChange=${(on) => setIn("engine", "name")(on ? "spark" : null)} />`}
    <${CheckField} label=${t("privacy.hardened")} help="hardened" note=${t("privacy.hardened.note")}
      value=${document.hardened} onChange=${(on) => set("hardened")(on || null)} />
    ${
      quasi.length > 0 &&
      html`<h3>${t("privacy.missing")}</h3><p class="note">${t("privacy.missing.text")}</p>
      <div
        class="fields">${quasi.map(([name, one]) => html`<${SelectField} key=${name} label=${name} value=${one.missing ?? "category"} options=${MISSING.map((way) => [way, t(`privacy.missing.${way}`)])} onChange=${setOf(name, "missing", "category")} />`)}</div>
      <h3>${t("privacy.microaggregate")}</h3><p class="note">${t("privacy.microaggregate.text")}</p>
      <div
        class="fields">${quasi.map(([name, one]) => html`<${SelectField} key=${name} label=${name} value=${one.microaggregate ?? "none"} options=${VALUES.map((way) => [way, t(`privacy.microaggregate.${way}`)])} onChange=${setOf(name, "microaggregate", "none")} />`)}</div>`
    }
  </div></details></section>`;
}
