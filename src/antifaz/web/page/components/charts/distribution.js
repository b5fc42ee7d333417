// One column before and after. Numbers are drawn over the same bins: a released interval is spread evenly over what it
// covers, because that is all a reader of the release can assume.
import { letters, nameAxis, percent, shades, shareAxis, shareFrame, short, tall } from "./common.js";

const BINS = 24;
const SHOWN = 14;
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;
const INTERVAL = /^([[(])\s*(-?[\d.]+(?:e[+-]?\d+)?|-?∞|-inf)\s*,\s*(-?[\d.]+(?:e[+-]?\d+)?|∞|\+?inf)\s*([\])])$/i;

/** What a label covers: [low, high], `null` for anything, `undefined` where it can't be told. */
export function span(label) {
  if (label === null || label === "*") return null;
  const text = label.trim();
  if (NUMBER.test(text)) return [Number(text), Number(text)];
  const found = INTERVAL.exec(text);
  if (!found) return undefined;
  const edge = (side, missing) => (NUMBER.test(side) ? Number(side) : missing);
  return [edge(found[2], -Infinity), edge(found[3], Infinity)];
}

const isNumeric = (counts) => {
  const known = [...counts.keys()].filter((label) => label !== null);
  return known.length > 0 && known.every((label) => NUMBER.test(label.trim()));
};

function spread(counts, low, high) {
  const width = (high - low) / BINS || 1;
  const bins = new Array(BINS).fill(0);
  let total = 0;
  for (const [label, count] of counts) {
    const covered = span(label);
    if (covered === undefined || label === null) continue;
    const [from, to] = covered === null ? [low, high] : [Math.max(covered[0], low), Math.min(covered[1], high)];
    total += count;
    if (to - from < 1e-12) {
      bins[Math.min(BINS - 1, Math.max(0, Math.floor((from - low) / width)))] += count;
      continue;
    }
    for (let i = 0; i < BINS; i += 1) {
      const overlap = Math.min(to, low + (i + 1) * width) - Math.max(from, low + i * width);
      if (overlap > 0) bins[i] += (count * overlap) / (to - from);
    }
  }
  return bins.map((count) => (total ? count / total : 0));
}

function numeric(before, after) {
  const values = [...before.keys()].filter((label) => label !== null).map(Number);
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  const width = (high - low) / BINS;
  const whole = values.every(Number.isInteger) && width >= 1;
  const edge = (i) => (whole ? short(Math.ceil(low + i * width)) : short(Number((low + i * width).toPrecision(4))));
  return {
    names: Array.from({ length: BINS }, (_, i) => edge(i)),
    before: spread(before, low, high),
    after: spread(after, low, high),
  };
}

/** How the values begin that a label stands for, where it says so itself: 370**, 1960s, 1972-03; else null. */
export function beginning(label) {
  const masked = /^(.+?)\*+$/.exec(label ?? "");
  if (masked) return { text: masked[1], length: label.length };
  const decade = /^(\d{3})0s$/.exec(label ?? "");
  if (decade) return { text: decade[1], length: null };
  return /^\d{4}(-\d{2})?$/.test(label ?? "") ? { text: `${label}-`, length: 10 } : null;
}

/** Count original values under the released labels that stand for them, so that both sides speak of the same. */
export function gathered(before, after) {
  const starts = [...after.keys()].map((label) => [label, beginning(label)]).filter(([, start]) => start);
  const place = (value) =>
    starts.find(([, start]) => value?.startsWith(start.text) && (start.length ?? value.length) === value.length)?.[0];
  const counts = new Map();
  for (const [value, count] of before) {
    const label = after.has(value) ? value : (place(value) ?? value);
    counts.set(label, (counts.get(label) ?? 0) + count);
  }
  return counts;
}

function named(original, after, other, missing) {
  const before = gathered(original, after);
  const total = (counts) => [...counts.values()].reduce((a, b) => a + b, 0) || 1;
  const [all, left] = [total(before), total(after)];
  const weight = (label) => (before.get(label) ?? 0) / all + (after.get(label) ?? 0) / left;
  const ordered = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => weight(b) - weight(a));
  const [shown, rest] = [ordered.slice(0, SHOWN), ordered.slice(SHOWN)];
  const side = (counts, whole) => {
    const shares = shown.map((label) => (counts.get(label) ?? 0) / whole);
    const lost = rest.reduce((sum, label) => sum + (counts.get(label) ?? 0), 0) / whole;
    return rest.length ? [...shares, lost] : shares;
  };
  const names = shown.map((label) => label ?? missing);
  return {
    names: rest.length ? [...names, `${other} (${short(rest.length)})`] : names,
    before: side(before, all),
    after: side(after, left),
  };
}

/** `before`, `after`: Maps of label (null: missing) to how many records have it. */
export function distributionChart(before, after, words) {
  const numbers = isNumeric(before) && [...after.keys()].every((label) => label === null || span(label) !== undefined);
  const sides = numbers ? numeric(before, after) : named(before, after, words.other, words.missing);
  const option = (palette) => {
    const colours = shades(palette);
    const labels = nameAxis(colours, sides.names, numbers ? { axisLabel: { color: colours.soft, hideOverlap: true, fontSize: letters() } } : { inverse: true });
    const shares = shareAxis({ max: undefined });
    const bar = (name, data, color) => ({
      name, type: "bar", data, barMaxWidth: 22, barGap: numbers ? "0%" : "10%",
      itemStyle: { color, borderRadius: numbers ? [2, 2, 0, 0] : 3 },
    });
    return {
      ...shareFrame(colours),
      xAxis: numbers ? labels : shares,
      yAxis: numbers ? shares : labels,
      series: [bar(words.before, sides.before, colours.before), bar(words.after, sides.after, colours.after)],
    };
  };
  const table = {
    columns: [numbers ? words.from : words.value, words.before, words.after],
    rows: sides.names.map((name, i) => [name, percent(sides.before[i]), percent(sides.after[i])]),
  };
  return { option, table, height: numbers ? 320 : tall(sides.names.length * 1.6) };
}
