// Loss and risk against k, with the k that is recommended.
import { letters, percent, shades, shareAxis, shareFrame, short } from "./common.js";

const KINDS = ["loss", "highest_risk", "ks_min"];

/** `found`: the frontier document {points, recommended}. */
export function frontierChart(found, words) {
  const points = found.points ?? [];
  const methods = [...new Set(points.map((point) => point.method))];
  const several = methods.length > 1;
  // Of several settings what tells them apart: what they lose, and what they keep.
  const kinds = KINDS.filter((key) => points.some((point) => typeof point[key] === "number") && !(several && key === "highest_risk"));
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
    // Of several methods each has a colour, and lines tell measures apart: so that the legend shows both.
    const colour = (key, m) => (several ? palette.series[m % palette.series.length] : look[key].color);
    const lines = several ? Math.ceil((methods.length * kinds.length) / (innerWidth < 600 ? 1 : 3)) : 1;
    const made = shareFrame(colours, { grid: { left: 20, right: 28, top: 54 + 24 * lines, bottom: 28, containLabel: true } });
    return {
      ...made,
      legend: several ? { ...made.legend, icon: undefined, itemWidth: 34 } : made.legend,
      tooltip: { ...made.tooltip, axisPointer: { type: "line" } },
      xAxis: { type: "value", name: "k", nameLocation: "middle", nameGap: 26, minInterval: 1, axisLabel: { fontSize: letters() }, splitLine: { show: false }, min: Math.min(...ks), max: Math.max(...ks) },
      yAxis: shareAxis(),
      series: methods.flatMap((method, m) => kinds.map((key, i) => ({
        name: several ? `${words[key]}, ${method}` : words[key], type: "line", symbol: look[key].symbol, symbolSize: 7,
        data: points.filter((point) => point.method === method).map((point) => [point.k, point[key]]),
        lineStyle: { color: colour(key, m), width: 2.5, type: look[key].type }, itemStyle: { color: colour(key, m) },
        markLine: i === 0 && m === 0 && here ? here : undefined,
      }))),
    };
  };
  const table = {
    columns: [...(several ? [words.method] : []), "k", ...kinds.map((key) => words[key]), words.suppressed],
    rows: points.map((point) => [...(several ? [point.method] : []), short(point.k), ...kinds.map((key) => percent(point[key])), short(point.suppressed)]),
  };
  return { option, table, height: 340 };
}
