// The words of the explorer in a notebook: the kernel sends them. The same names as those of ../words.js.
let words = {};
let tag = "en";
export const language = { get: () => tag };

export function learn(found, spoken) {
  words = found;
  tag = spoken;
}

export const has = (key) => key in words;

export function t(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? (typeof values[name] === "number" ? number(values[name]) : String(values[name])) : whole));
}

export function tn(key, count, values = {}) {
  const form = new Intl.PluralRules(tag).select(count) === "one" ? "one" : "other";
  return t(`${key}.${form}`, { count, ...values });
}

export function number(value, digits = 6) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return new Intl.NumberFormat(tag, { useGrouping: "always", maximumFractionDigits: digits }).format(value);
}

export function percent(share, digits = 1) {
  if (share === null || share === undefined) return "–";
  return new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: digits }).format(share);
}
