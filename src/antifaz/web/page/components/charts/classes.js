// How many records are in classes of which size, before and after.
import { nameAxis, percent, shades, shareAxis, shareFrame, short } from "./common.js";

const EDGES = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10000];
const bucket = (size) => EDGES.findLastIndex((edge) => edge <= size);

function label(i) {
  const [low, next] = [EDGES[i], EDGES[i + 1]];
  if (next === undefined) return `${short(low)}+`;
  return next - low === 1 ? short(low) : `${short(low)}–${short(next - 1)}`;
}

function shares(sizes) {
  const found = EDGES.map(() => 0);
  let total = 0;
  for (const { size, records } of sizes) {
    found[bucket(size)] += records;
    total += records;
  }
  return { records: found, share: found.map((count) => (total ? count / total : 0)) };
}

/** [[size, classes]] of the evidence, or [{size, classes, records}] of the release, as the latter. */
export const sizesOf = (given) =>
  (given ?? []).map((one) => (Array.isArray(one) ? { size: one[0], classes: one[1], records: one[0] * one[1] } : one));

/** `before`, `after`: what `sizesOf` returns; before may be empty. */
export function classChart(before, after, words) {
  const sides = [[words.before, shares(before)], [words.after, shares(after)]].filter(([, side]) => side.records.some(Boolean));
  const used = EDGES.map((_, i) => i).filter((i) => sides.some(([, side]) => side.records[i] > 0));
  const shown = used.length ? EDGES.map((_, i) => i).slice(used[0], used.at(-1) + 1) : [];
  const option = (palette) => {
    const colours = shades(palette);
    return {
      ...shareFrame(colours, { grid: { left: 20, right: 28, top: 44, bottom: 34, containLabel: true } }),
      xAxis: nameAxis(colours, shown.map(label), { name: words.size, nameLocation: "middle", nameGap: 30 }),
      yAxis: shareAxis({ max: undefined }),
      series: sides.map(([name, side]) => ({
        name, type: "bar", barMaxWidth: 34, barGap: "12%", data: shown.map((i) => side.share[i]),
        itemStyle: { color: name === words.before ? colours.before : colours.after, borderRadius: [3, 3, 0, 0] },
      })),
    };
  };
  const table = {
    columns: [words.size, ...sides.map(([name]) => name)],
    rows: shown.map((i) => [label(i), ...sides.map(([, side]) => `${short(side.records[i])} (${percent(side.share[i])})`)]),
  };
  return { option, table, height: 300 };
}
