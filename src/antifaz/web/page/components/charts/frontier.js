// Loss and risk against k, with the k that is recommended.
import { letters, percent, shades, shareAxis, shareFrame, short } from "./common.js";

const KINDS = ["loss", "highest_risk", "ks_min"];

/** `found`: the frontier document {points, recommended}. */
export function frontierChart(found, words) {
  const points = found.points ?? [];
  const kinds = KINDS.filter((key) => points.some((point) => typeof point[key] === "number"));
  const ks = points.map((point) => point.k);
  const option = (palette) => {
    const colours = shades(palette);
    const look = {
      loss: { color: colours.after, type: "solid", symbol: "circle" },
      highest_risk: { color: colours.bad, type: "solid", symbol: "triangle" },
      ks_min: { color: colours.before, type: "dashed", symbol: "rect" },
    };
    const here = found.recommended?.k && {
      symbol: "none",
      silent: true,
      lineStyle: { color: colours.ink, type: "dotted", width: 2 },
      label: { formatter: `${words.recommended}: k = ${found.recommended.k}`, color: colours.ink, align: "left" },
      data: [{ xAxis: found.recommended.k }],
    };
    const made = shareFrame(colours, { grid: { left: 20, right: 28, top: 78, bottom: 28, containLabel: true } });
    return {
      ...made,
      tooltip: { ...made.tooltip, axisPointer: { type: "line" } },
      xAxis: { type: "value", name: "k", nameLocation: "middle", nameGap: 26, minInterval: 1, axisLabel: { fontSize: letters() }, splitLine: { show: false }, min: Math.min(...ks), max: Math.max(...ks) },
      yAxis: shareAxis(),
      series: kinds.map((key, i) => ({
        name: words[key], type: "line", symbol: look[key].symbol, symbolSize: 7, data: points.map((point) => [point.k, point[key]]),
        lineStyle: { color: look[key].color, width: 2.5, type: look[key].type }, itemStyle: { color: look[key].color },
        markLine: i === 0 && here ? here : undefined,
      })),
    };
  };
  const table = {
    columns: ["k", ...kinds.map((key) => words[key]), words.suppressed],
    rows: points.map((point) => [short(point.k), ...kinds.map((key) => percent(point[key])), short(point.suppressed)]),
  };
  return { option, table, height: 340 };
}
