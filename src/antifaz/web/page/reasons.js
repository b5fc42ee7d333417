// Reasons of proposals come from the server in English. Those that are known are said in the language shown; others are
// shown as they came, marked as English.
import { html } from "./html.js";
import { has, language, t } from "./words.js";

const KNOWN = [
  [/^Its values look like (?<what>.+), which reach one person\.$/, "reason.looks"],
  [/^Its name says '(?<word>.+)', which names or reaches one person\.$/, "reason.identifier"],
  [/^Its name says '(?<word>.+)', which others know too and can combine to find a person\.$/, "reason.quasi"],
  [/^Its name says '(?<word>.+)', which nobody should learn about a person\.$/, "reason.sensitive"],
  [/^Nothing in its name or its values points at a person\.$/, "reason.nothing"],
  [/^It is empty\.$/, "reason.empty"],
  [/^Every record has the same value\.$/, "reason.same"],
  [/^It gives every record a number of its own, which leads back to the source\.$/, "reason.number"],
  [/^It is a date, and dates of a person's life are known to others\.$/, "reason.date"],
  [/^Almost every record has a value of its own, so a value points at one person\.$/, "reason.unique"],
  [/^Its values are shared by groups of people, and smaller groups appear when combined\.$/, "reason.groups"],
  [/^Nothing is known of what its values have in common: each is kept, or becomes '\*'\.$/, "reason.flat"],
  [
    /^Its values are codes of one length: one more character from the right becomes '\*' at each level\.$/,
    "reason.codes",
  ],
  [/^Its values are dates: known by (?<units>.+), level by level\.$/, "reason.dates"],
  [/^Its values are numbers: put into intervals (?<widths>.+) wide, level by level\.$/, "reason.intervals"],
  [
    /^Its values are numbers: put into intervals (?<widths>.+) wide, level by level; the few beyond (?<ends>.+) share one\.$/,
    "reason.intervals.ends",
  ],
  [/^Its values are countries: put into parts of continents, then into continents\.$/, "reason.countries"],
  [/^Its values are schooling: put into levels of education, then into two of them\.$/, "reason.schooling"],
  [/^Some of its values begin with the same word: these are put together\.$/, "reason.word"],
  [
    /^(?<count>[\d,]+) of its values are rare \(less than (?<share>[\d.]+)% of the records each\): these become '(?<other>.+)'\.$/,
    "reason.rare",
  ],
];

// Words inside a reason that have a translation of their own, such as the units of dates.
const PARTS = [
  [/, then by /g, "reason.then.by"],
  [/, then /g, "reason.then"],
  [/ and /g, "reason.and"],
  [/\bmonth\b/g, "reason.month"],
  [/\byear\b/g, "reason.year"],
  [/\bdecade\b/g, "reason.decade"],
];
const FREE = new Set(["word", "other"]);

const TAIL =
  /^(?<head>.+) Values that fewer than (?<count>\d+) records share are not named here; they go to '(?<other>.+)'\.$/;

export function reasonOf(text) {
  if (language.get() === "en") return text;
  const long = TAIL.exec(text)?.groups;
  if (long) {
    const head = reasonOf(long.head);
    return head && `${head} ${t("reason.unnamed", { count: long.count, other: long.other })}`;
  }
  for (const [pattern, key] of KNOWN) {
    const found = pattern.exec(text);
    if (found)
      return t(
        key,
        Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, value]) => [name, part(name, value)])),
      );
  }
  return null;
}

export function Reason({ text }) {
  if (!text) return null;
  const said = reasonOf(text);
  return said === null ? html`<span lang="en">${text}</span>` : html`<span>${said}</span>`;
}

function part(name, value) {
  if (FREE.has(name)) return value;
  const whole = `reason.what.${value}`;
  return has(whole) ? t(whole) : PARTS.reduce((said, [pattern, key]) => said.replace(pattern, t(key)), value);
}
