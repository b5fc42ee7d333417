// Shares of two runs, one bar for each.
import { nameAxis, percent, shades, shareAxis, shareFrame, tall } from "./common.js";

/** `rows`: [{name, first, second}], shares of 1; `names`: those of the two runs. */
export function compareChart(rows, names, label) {
  const option = (palette) => {
    const colours = shades(palette);
    const bar = (name, key, color) => ({ name, type: "bar", barMaxWidth: 18, itemStyle: { color, borderRadius: 3 }, data: rows.map((row) => row[key]) });
    return {
      ...shareFrame(colours, { grid: { left: 20, right: 28, top: 66, bottom: 8, containLabel: true } }),
      xAxis: shareAxis(),
      yAxis: nameAxis(colours, rows.map((row) => row.name), { inverse: true }),
      series: [bar(names[0], "first", colours.before), bar(names[1], "second", colours.after)],
    };
  };
  return { option, table: { columns: [label, ...names], rows: rows.map((row) => [row.name, percent(row.first), percent(row.second)]) }, height: tall(rows.length * 2.2) };
}
