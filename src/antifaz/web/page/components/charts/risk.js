// Three attackers against the threshold, before and after.
import { nameAxis, percent, shades, shareAxis, shareFrame, tall } from "./common.js";

/** `rows`: [{name, before, after}], shares of 1. */
export function riskChart(rows, threshold, words) {
  const option = (palette) => {
    const colours = shades(palette);
    const bar = (name, key, color, more) => ({
      name, type: "bar", barMaxWidth: 18, itemStyle: { color, borderRadius: 3 }, data: rows.map((row) => row[key] ?? null), ...more,
    });
    const limit = {
      symbol: "none",
      silent: true,
      label: { formatter: `${words.threshold} ${percent(threshold)}`, color: colours.bad, position: "start", distance: 8 },
      lineStyle: { color: colours.bad, width: 2, type: "dashed" },
      data: [{ xAxis: threshold }],
    };
    return {
      ...shareFrame(colours, { grid: { left: 20, right: 28, top: 66, bottom: 8, containLabel: true } }),
      xAxis: shareAxis(),
      yAxis: nameAxis(colours, rows.map((row) => row.name), { inverse: true }),
      series: [bar(words.before, "before", colours.before), bar(words.after, "after", colours.after, { markLine: limit })],
    };
  };
  const table = {
    columns: [words.attacker, words.before, words.after],
    rows: rows.map((row) => [row.name, percent(row.before), percent(row.after)]),
  };
  return { option, table, height: tall(rows.length * 2.2) };
}
