// All words explained, with a field to find one.
import { html, useState } from "../html.js";
import { has, keys, t } from "../words.js";
import { TextField } from "../components/field.js";

export function Glossary() {
  const [sought, setSought] = useState("");
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const terms = keys("term.")
    .filter((key) => key.split(".").length === 2)
    .map((key) => ({ key, name: t(key), text: t(`${key}.text`) }))
    .filter((term) => plain(term.name + term.text).includes(plain(sought)))
    .sort((one, other) => one.name.localeCompare(other.name));
  return html`<div class="page">
    <header class="step-head"><h1>${t("glossary.title")}</h1><p class="asked">${t("glossary.text")}</p></header>
    <div class="narrow"><${TextField} label=${t("glossary.search")} type="search" value=${sought}
      onChange=${setSought} /></div>
    <dl class="glossary">
      ${terms.map(
        (term) => html`<div class="panel" key=${term.key}><dt><h2>${term.name}</h2></dt>
        <dd><p>${term.text}</p>${has(`${term.key}.example`) && html`<p class="example">${t("app.example")}: ${t(`${term.key}.example`)}</p>`}</dd></div>`,
      )}
    </dl>
    ${terms.length === 0 && html`<p>${t("glossary.none")}</p>`}
  </div>`;
}
