// Who will get it: it decides how likely a right guess may be, and with that k.
import { html } from "../../html.js";
import { percent, t } from "../../words.js";
import { Button } from "../../components/button.js";
import { RadioCards } from "../../components/field.js";
import { Notice } from "../../components/notice.js";
import { withK } from "../../components/remedy.js";

/** Whom a release is taken to be for where nobody says. */
export const USUAL = "many";
export const audienceOf = (document) => document.release?.audience ?? USUAL;
const kOf = (document) => document.privacy?.find((asked) => asked.model === "k-anonymity")?.k;

export function Audience({ meta, document, change }) {
  const limit = (name) => meta.audiences.find((one) => one.name === name);
  const audience = audienceOf(document);
  const wanted = limit(audience).k;
  const k = kOf(document);
  const choose = (next) =>
    change((copy) => {
      // A k that was the recommended one stays the recommended one; another was chosen by somebody.
      const same = kOf(copy) === limit(audienceOf(copy)).k;
      copy.release = { ...copy.release, audience: next };
      return same ? withK(copy, limit(next).k) : copy;
    });
  return html`<${RadioCards} legend=${t("privacy.audience")} value=${audience} onChange=${choose}
      options=${meta.audiences.map((one) => ({ value: one.name, title: t(`privacy.audience.${one.name}`), note: t("privacy.audience.note", { k: one.k, risk: percent(one.risk, 0) }) }))} />
    ${k !== undefined && k < wanted && html`<${Notice} kind="warning" actions=${html`<${Button} small icon="check" onClick=${() => change((copy) => withK(copy, wanted))}>${t("privacy.audience.take", { k: wanted })}<//>`}><p>${t("privacy.audience.less", { k, wanted })}</p><//>`}`;
}
