// A chart: ECharts, fetched when the first one is shown, with the same numbers as a table beside it.
import { html, useEffect, useId, useRef, useState } from "../html.js";
import { language, number, t } from "../words.js";
import { useStore } from "../store.js";
import { theme } from "../theme.js";
import { Loading, Notice } from "./notice.js";
import { PlainTable } from "./table.js";

let library = null;
const load = () =>
  (library ??= import("../vendor/echarts.esm.min.js").catch((error) => ((library = null), Promise.reject(error))));

// option: of ECharts, or a function of the palette {text, soft, line, paper, accent, series: […]} that gives one.
// table: {columns: [label, …], rows: [[…], …]}, the chart's numbers in words; onClick(params) when a mark is chosen.
export function Chart({ option, title, description, table, height = 320, onClick }) {
  const box = useRef(null);
  const chart = useRef(null);
  const id = useId();
  const [state, setState] = useState("loading");
  const look = useStore(theme);
  useStore(language);

  useEffect(() => {
    let gone = false;
    let watcher;
    load().then(
      (echarts) => {
        if (gone || !box.current) return;
        chart.current = echarts.init(box.current, null, { renderer: "canvas" });
        watcher = new ResizeObserver(() => chart.current?.resize());
        watcher.observe(box.current);
        setState("ready");
      },
      () => !gone && setState("failed"),
    );
    return () => {
      gone = true;
      watcher?.disconnect();
      chart.current?.dispose();
      chart.current = null;
    };
  }, []);
  useEffect(() => {
    if (state !== "ready" || !chart.current) return;
    const palette = colours();
    const own = typeof option === "function" ? option(palette) : option;
    chart.current.setOption(styled(own, palette), { notMerge: true });
    chart.current.off("click");
    if (onClick) chart.current.on("click", onClick);
  }, [state, option, look, onClick]);

  return html`<figure class="chart" aria-labelledby=${id}>
    <figcaption
      id=${id}><strong>${title}</strong>${description && html`<span class="note"> ${description}</span>`}</figcaption>
    ${state === "failed" ? html`<${Notice} kind="warning"><p>${t("app.chart.failed")}</p><//>` : null}
    ${state === "loading" ? html`<${Loading} />` : null}
    <div ref=${box} class="chart-box" role="img" aria-label=${`${title}. ${description ?? ""}`}
      style=${{ height: state === "failed" ? 0 : `${height}px` }}></div>
    ${
      table &&
      html`<details class="chart-table"><summary>${t("app.chart.table")}</summary>
      <${PlainTable} label=${title} columns=${table.columns.map((label) => ({ name: label, label }))}
        rows=${table.rows.map((row) => row.map((value) => (typeof value === "number" ? number(value, 4) : value)))} />
    </details>`
    }
  </figure>`;
}

// The colours of the page as it looks now.
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: read("text"),
    soft: read("text-soft"),
    line: read("line"),
    paper: read("paper"),
    accent: read("accent"),
    good: read("good"),
    warning: read("warning"),
    bad: read("bad"),
    series: [1, 2, 3, 4, 5, 6].map((at) => read(`series-${at}`)),
  };
}

function styled(option, palette) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const font = getComputedStyle(document.body).fontFamily;
  const axis = (one) => ({
    ...one,
    axisLine: { lineStyle: { color: palette.line }, ...one.axisLine },
    axisLabel: { color: palette.soft, ...one.axisLabel },
    nameTextStyle: { color: palette.soft, ...one.nameTextStyle },
    splitLine: { lineStyle: { color: palette.line, opacity: 0.6 }, ...one.splitLine },
  });
  const axes = (given) => (given === undefined ? undefined : Array.isArray(given) ? given.map(axis) : axis(given));
  const drawn = {
    color: palette.series,
    backgroundColor: "transparent",
    animation: !still,
    animationDuration: 300,
    textStyle: { fontFamily: font, color: palette.text },
    aria: { enabled: false },
    grid: { left: 12, right: 24, top: 48, bottom: 32, containLabel: true },
    ...option,
    tooltip: option.tooltip && {
      backgroundColor: palette.paper,
      borderColor: palette.line,
      textStyle: { color: palette.text },
      confine: true,
      ...option.tooltip,
    },
    legend: option.legend && { textStyle: { color: palette.text }, inactiveColor: palette.soft, ...option.legend },
  };
  if (option.xAxis) drawn.xAxis = axes(option.xAxis);
  if (option.yAxis) drawn.yAxis = axes(option.yAxis);
  return drawn;
}
