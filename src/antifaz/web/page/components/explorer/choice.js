// A choice of the explorer, or of the frontier, as what a project's document says.
import { withK } from "../remedy.js";

const isEmpty = (value) => value === null || value === undefined || (typeof value === "object" && !Object.keys(value).length);

/** The document that asks for what was chosen by sliders and levels: full-domain generalization does that. */
export function withChoice(document, { k, suppression, levels, weights }) {
  const own = document.method?.name === "full-domain" ? document.method : { name: "full-domain" };
  return { ...withWantedK(document, k), method: full({ ...own, suppression, levels, weights }) };
}

/** The document that asks for a point of the frontier; how long the search was allowed to be is not part of it. */
export function withPoint(document, k, { checks, ...method }) {
  return { ...withWantedK(document, k), method: full(method) };
}

/** Every model that has a k gets it; where none has, k-anonymity is asked for. */
function withWantedK(document, k) {
  const asked = document.privacy ?? [];
  if (!asked.some((one) => "k" in one)) return { ...document, privacy: [{ model: "k-anonymity", k }, ...asked] };
  return { ...withK(document, k), privacy: asked.map((one) => ("k" in one ? { ...one, k } : one)) };
}

const full = (method) => Object.fromEntries(Object.entries(method).filter(([, value]) => !isEmpty(value)));
