// Attacks of the three European criteria: what the attack finds, with its interval, beside control and chance.
import { has, t } from "../../words.js";
import { frame, letters, nameAxis, percent, shades, shareAxis, tall } from "./common.js";

/** To which criterion an attack belongs, by its name. */
export function criterion(name) {
  if (name.startsWith("singling")) return "singling";
  return name.startsWith("inference") ? "inference" : "linkability";
}

/** An attack's name in the language shown. */
export function attackName(name) {
  const guessed = /^inference of (.+)$/.exec(name);
  if (guessed) return t("judge.attack.inference", { column: guessed[1] });
  const key = `judge.attack.${name.replace(/[^a-z]+/g, "-")}`;
  return has(key) ? t(key) : name;
}

function whisker(color) {
  return (params, api) => {
    const [[left, y], [right]] = [api.coord([api.value(0), api.value(2)]), api.coord([api.value(1), api.value(2)])];
    const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: color, lineWidth: 2 } });
    return { type: "group", children: [line(left, y, right, y), line(left, y - 5, left, y + 5), line(right, y - 5, right, y + 5)] };
  };
}

/** `attacks`: [{name, success, control, chance, interval}]. */
export function attackChart(attacks, words) {
  const names = attacks.map((attack) => attackName(attack.name));
  const option = (palette) => {
    const colours = shades(palette);
    const dots = (name, key, symbol, color, hollow) => ({
      name, type: "scatter", symbol, symbolSize: 13, data: attacks.map((attack, i) => [attack[key], i]), z: 3,
      itemStyle: hollow ? { color: colours.card, borderColor: color, borderWidth: 2 } : { color },
    });
    const base = frame(colours);
    return {
      ...base,
      legend: { ...base.legend, icon: undefined },
      tooltip: {
        ...base.tooltip,
        trigger: "item",
        formatter: (at) => `${names[at.value.at(-1)] ?? ""}\n${at.seriesName}: ${percent(at.value[0])}`,
      },
      xAxis: shareAxis(),
      yAxis: nameAxis(colours, names, {
        inverse: true, axisLabel: { color: colours.ink, width: innerWidth < 600 ? 90 : 11.5 * letters(), fontSize: letters(), lineHeight: letters() + 3, overflow: "break", interval: 0 }, splitLine: { show: true },
      }),
      series: [
        { name: words.interval, type: "custom", renderItem: whisker(colours.after), encode: { x: [0, 1], y: 2 },
          data: attacks.map((attack, i) => [...attack.interval, i]), itemStyle: { color: colours.after }, silent: true },
        dots(words.chance, "chance", "diamond", colours.soft, true),
        dots(words.control, "control", "rect", colours.before, true),
        dots(words.success, "success", "circle", colours.after, false),
      ],
    };
  };
  const table = {
    columns: [words.attack, words.success, words.interval, words.control, words.chance],
    rows: attacks.map((attack, i) => [
      names[i], percent(attack.success), attack.interval.map(percent).join(" – "), percent(attack.control), percent(attack.chance),
    ]),
  };
  return { option, table, height: tall(attacks.length * 1.9) };
}
