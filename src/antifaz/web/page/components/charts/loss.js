// What each attribute lost.
import { nameAxis, percent, shades, shareAxis, shareFrame, tall } from "./common.js";

/** `rows`: [{name, loss, gcp, precision}], each a share of 1 or null. */
export function lossChart(rows, words) {
  const kinds = ["loss", "gcp", "precision"].filter((kind) => rows.some((row) => typeof row[kind] === "number"));
  const option = (palette) => {
    const colours = shades(palette);
    const colour = { loss: colours.after, gcp: colours.third, precision: colours.before };
    return {
      ...shareFrame(colours),
      xAxis: shareAxis(),
      yAxis: nameAxis(colours, rows.map((row) => row.name), { inverse: true }),
      series: kinds.map((kind) => ({
        name: words[kind], type: "bar", barMaxWidth: 14, itemStyle: { color: colour[kind], borderRadius: 3 },
        data: rows.map((row) => row[kind] ?? null),
      })),
    };
  };
  const table = {
    columns: [words.attribute, ...kinds.map((kind) => words[kind])],
    rows: rows.map((row) => [row.name, ...kinds.map((kind) => percent(row[kind]))]),
  };
  return { option, table, height: tall(rows.length * (0.7 + kinds.length * 0.6)) };
}
