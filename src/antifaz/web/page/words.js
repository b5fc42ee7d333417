// The words of the page in every language that the server has, and numbers and dates as each writes them.
import { remember, remembered, store } from "./store.js";

// The name of each language by its tag.
export const LANGUAGES = await fetched("languages");
export const language = store("en");

const known = {};
let words = {};

export function preferred() {
  const chosen = remembered("language", null);
  const wanted = chosen ? [chosen] : (navigator.languages ?? [navigator.language ?? "en"]);
  const found = wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in LANGUAGES);
  return found ?? "en";
}

export async function speak(tag, keep = false) {
  if (keep) remember("language", tag); // first: whoever goes on before the words are here has chosen it too
  const own = await load(tag);
  words = tag === "en" ? own : { ...(await load("en")), ...own };
  document.documentElement.lang = tag;
  language.set(tag);
}

async function load(tag) {
  known[tag] ??= await fetched(tag);
  return known[tag];
}

async function fetched(name) {
  const answer = await fetch(`/page/words/${name}.json`);
  return answer.json();
}

// The words under a key, with {names} filled in.
export function t(key, values = {}) {
  const text = words[key];
  if (text === undefined) return key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? shown(values[name]) : whole));
}

// The same for a number of things: KEY.one or KEY.other.
export function tn(key, count, values = {}) {
  const form = new Intl.PluralRules(language.get()).select(count) === "one" ? "one" : "other";
  return t(`${key}.${form}`, { count, ...values });
}

export function has(key) {
  return key in words;
}

export function keys(prefix) {
  return Object.keys(words).filter((key) => key.startsWith(prefix));
}

function shown(value) {
  return typeof value === "number" ? number(value) : String(value);
}

export function number(value, digits) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const options = digits === undefined ? { maximumFractionDigits: 6 } : { maximumFractionDigits: digits };
  return new Intl.NumberFormat(language.get(), { useGrouping: "always", ...options }).format(value);
}

export function percent(share, digits = 1) {
  if (share === null || share === undefined) return "–";
  return new Intl.NumberFormat(language.get(), { style: "percent", maximumFractionDigits: digits }).format(share);
}

export function bytes(count) {
  if (count === null || count === undefined) return "–";
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const power = Math.min(units.length - 1, Math.floor(Math.log(Math.max(count, 1)) / Math.log(1000)));
  const options = {
    style: "unit",
    unit: units[power],
    unitDisplay: power ? "short" : "long",
    maximumFractionDigits: power > 1 ? 1 : 0,
  };
  return new Intl.NumberFormat(language.get(), options).format(count / 1000 ** power);
}

export function when(text) {
  if (!text) return "–";
  return new Intl.DateTimeFormat(language.get(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(text));
}

export function seconds(count) {
  if (count === null || count === undefined) return "–";
  if (count < 60) return `${number(count, count < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(count / 60);
  return `${number(minutes)} min ${number(Math.round(count - minutes * 60))} s`;
}
