// What the charts share. A chart here is data: {option, table, height}: what ECharts draws as a function of the page's
// colours, the same numbers as a table, and how tall it should be.
import { number, percent as share } from "../../words.js";

/** A share as people read it; what is small but not nothing does not become nothing. */
export function percent(value) {
  if (typeof value === "number" && value > 0 && value < 0.001) return `< ${share(0.001)}`;
  return share(value);
}

/** A number with few digits. */
export function short(value) {
  if (typeof value !== "number") return "–";
  const size = Math.abs(value);
  if (size !== 0 && size < 0.001) return value.toExponential(1);
  return number(value, size < 1 ? 4 : 2);
}

/** The page's colours under the names that mean something here: before and after, good and bad. */
export function shades(palette) {
  const [after, before, third] = palette.series;
  return { ...palette, ink: palette.text, card: palette.paper, after, before, third };
}

/** Letters grow with the page, as everything else does on a large screen. */
export const letters = () => Math.max(12, Math.round(0.74 * parseFloat(getComputedStyle(document.documentElement).fontSize)));

/** Legend, letters and room as all charts have them. */
export function frame(colours, more = {}) {
  return {
    grid: { left: 20, right: 28, top: 44, bottom: 8, containLabel: true },
    legend: { top: 4, left: 0, icon: "roundRect", itemWidth: 12, itemHeight: 12, textStyle: { color: colours.ink, fontSize: letters() } },
    tooltip: {
      trigger: "axis",
      axisPointer: { type: "shadow", shadowStyle: { color: colours.line, opacity: 0.25 } },
      // Names of columns come from the data: as text, never as HTML.
      renderMode: "richText",
      textStyle: { color: colours.ink, fontSize: letters() },
    },
    ...more,
  };
}

/** The frame with a tooltip that shows shares. */
export function shareFrame(colours, more = {}) {
  const made = frame(colours, more);
  return { ...made, tooltip: { ...made.tooltip, valueFormatter: percent } };
}

export const nameAxis = (colours, names, more = {}) => ({
  type: "category",
  data: names,
  axisLabel: { color: colours.ink, hideOverlap: true, overflow: "truncate", width: innerWidth < 600 ? 90 : 10 * letters(), fontSize: letters() },
  nameTextStyle: { fontSize: letters() },
  axisTick: { show: false },
  splitLine: { show: false },
  ...more,
});

export const shareAxis = (more = {}) => ({
  type: "value", min: 0, max: 1, interval: "max" in more ? undefined : 0.25, axisLabel: { formatter: (value) => share(value, 0), hideOverlap: true, fontSize: letters() }, ...more,
});

/** How tall a chart of so many lines is. */
export const tall = (lines) => Math.round(Math.max(200, 84 + lines * 26 * (letters() / 12)));
