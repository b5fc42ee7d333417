// The lattice of a full-domain search as a picture that can be gone through with the arrow keys.
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { number, t } from "../words.js";
import { chosen, layOut, nodesOf, vector } from "./lattice_layout.js";

/** `result`: what a run of candidates found; `selected`: levels by column; `onSelect(node)`. */
export function Lattice({ result, columns, heights, selected, onSelect }) {
  const frame = useRef(null);
  const [room, setRoom] = useState(720);
  useEffect(() => {
    const watcher = new ResizeObserver(([entry]) => setRoom(Math.max(280, Math.min(1500, entry.contentRect.width))));
    watcher.observe(frame.current);
    return () => watcher.disconnect();
  }, []);
  const nodes = useMemo(() => chosen(nodesOf(result, columns, heights)), [result, columns, heights]);
  const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const drawn = useMemo(() => layOut(nodes, columns, room / scale), [nodes, columns, room, scale]);
  const at = columns.map((column) => selected?.[column]).join(",");
  const focused = drawn.places.has(at) ? at : drawn.places.keys().next().value;
  const ties = nodes.filter((node) => node.best).length > 1;

  const go = (node, event) => {
    const rank = drawn.rows.findIndex(({ row }) => row.includes(node));
    const place = drawn.rows[rank].row.indexOf(node);
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    const line = drawn.rows[rank + step[0]]?.row;
    const share = drawn.rows[rank].row.length > 1 ? place / (drawn.rows[rank].row.length - 1) : 0.5;
    const next = step[0] ? line?.[Math.round(share * (line.length - 1))] : line?.[place + step[1]];
    if (!next) return;
    onSelect(next);
    frame.current.querySelector(`[data-node="${next.key}"]`)?.focus();
  };
  // Through rows of rows, lines can't be followed: there only those of the chosen node are drawn.
  const lines = drawn.wrapped ? drawn.lines.filter((line) => line.ends.includes(at)) : drawn.lines;
  const many = lines.length > 400;
  const size = heights.reduce((product, height) => product * (height + 1), 1);
  const part = nodes.length < (result.lattice?.size ?? size);
  return html`${part && html`<p class="note">${t("explore.lattice.part", { count: nodes.length })}</p>`}<div class="lattice" ref=${frame}>
    <svg width=${drawn.width * scale} height=${drawn.height * scale} viewBox=${`0 0 ${drawn.width} ${drawn.height}`} role="group" aria-label=${t("explore.lattice.label", { columns: columns.join(", ") })}>
      <g aria-hidden="true" class=${many ? "ways is-many" : "ways"}>
        ${lines.map((line) => html`<line x1=${line.x1} y1=${line.y1} x2=${line.x2} y2=${line.y2} class=${line.way ? "is-way" : ""} />`)}
        ${drawn.sums.map(({ total, y }) => html`<text x="4" y=${y + 4} class="sum">${number(total)}</text>`)}
      </g>
      ${[...drawn.places.values()].map(({ node, x, y }) => html`<${Node} key=${node.key} ...${{ node, x, y, columns, ties, onSelect, go, words: result.words ?? {} }}
        box=${drawn.box} tall=${drawn.tall} on=${node.key === at} first=${node.key === focused} />`)}
    </svg>
  </div>`;
}

export const isBetter = (node) => typeof (Array.isArray(node.quality) ? node.quality[0] : node.quality) === "number";

export const qualityText = (value) => (Array.isArray(value) ? value.map((part) => number(part, 3)).join(" · ") : number(value, 4));

function Node({ node, x, y, columns, box, tall, on, first, ties, onSelect, go, words }) {
  const name = vector(node.levels, columns);
  const state = node.best ? (ties ? "tie" : "best") : node.satisfies ? "holds" : "fails";
  const classes = ["node", node.satisfies && "is-holding", node.best && "is-best", on && "is-on"].filter(Boolean).join(" ");
  const figures = isBetter(node) ? qualityText(Array.isArray(node.quality) ? node.quality[0] : node.quality) : typeof node.smallest_class === "number" ? `≥ ${number(node.smallest_class)}` : "";
  const key = (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); onSelect(node); } else go(node, event);
  };
  return html`<g class=${classes} role="button" tabindex=${first ? 0 : -1} data-node=${node.key} aria-pressed=${on}
      transform=${`translate(${x} ${y})`} onClick=${() => onSelect(node)} onKeyDown=${key}>
    <title>${[`${name}: ${t(`explore.node.${state}`)}`, ...columns.map((column) => words[column] && `${column} → ${words[column][node.levels[column]]}`)].filter(Boolean).join("\n")}</title>
    <rect width=${box} height=${tall} rx="10" />
    <text x=${box / 2} y=${figures ? tall / 2 - 3 : tall / 2 + 5} class="levels">${name}</text>
    ${figures && html`<text x=${box / 2} y=${tall / 2 + 14} class="figures">${figures}</text>`}
    ${node.best && html`<path class="star" transform=${`translate(${box - 4} 4) scale(.95)`} d="M0-9 2.2-3 8.600-2.800 3.500 1.100 5.300 7.300 0 3.600-5.300 7.300-3.500 1.100-8.600-2.800-2.200-3z" />`}
  </g>`;
}
