// Where the nodes of a generalization lattice are drawn: a row per sum of levels, nothing generalized at the bottom.

const BOX = { height: 46, gap: 14, row: 44, left: 40 };
/** The most nodes that are drawn; of more, so many of the best and what is around them. */
const MOST = 400;
const SOME = 30;

export const vector = (levels, columns) => `[${columns.map((column) => levels[column]).join(", ")}]`;
const sum = (node) => node.at.reduce((a, b) => a + b, 0);
const quality = (node) => (Array.isArray(node.quality) ? node.quality[0] : node.quality) ?? Infinity;
const key = (at) => at.join(",");

/** Every node of the lattice that is known, or can be told from what is known, by its levels. */
export function nodesOf(result, columns, heights) {
  const said = result.nodes ?? result.lattice?.nodes ?? result.candidates.map((one) => ({ ...one, satisfies: true }));
  const known = new Map();
  for (const one of said) {
    const at = columns.map((column) => one.levels[column]);
    known.set(key(at), { ...one, at, satisfies: one.satisfies !== false, key: key(at) });
  }
  const size = heights.reduce((product, height) => product * (height + 1), 1);
  if (heights.length && size <= MOST) {
    const fill = (at) => {
      if (at.length < heights.length) {
        for (let level = 0; level <= heights[at.length]; level += 1) fill([...at, level]);
      } else if (!known.has(key(at))) {
        const levels = Object.fromEntries(columns.map((column, i) => [column, at[i]]));
        known.set(key(at), { levels, at, satisfies: false, best: false, quality: null, key: key(at) });
      }
    };
    fill([]);
  }
  return known;
}

/** The nodes to draw: all, or where they are too many the best and their neighbours. */
export function chosen(known) {
  const all = [...known.values()];
  if (all.length <= MOST) return all;
  const seeds = all.filter((node) => node.satisfies).sort((a, b) => (b.best ? 1 : 0) - (a.best ? 1 : 0) || quality(a) - quality(b));
  const taken = new Map();
  for (const node of seeds) {
    if (taken.size >= SOME) break;
    for (const at of [node.at, ...neighbours(node.at)]) if (known.has(key(at))) taken.set(key(at), known.get(key(at)));
  }
  return [...taken.values()].slice(0, SOME);
}

function neighbours(at) {
  return at.flatMap((level, i) => [-1, 1].map((step) => [...at.slice(0, i), level + step, ...at.slice(i + 1)]));
}

/** Rows of nodes from the most general down. */
export function ranks(nodes) {
  const rows = new Map();
  for (const node of nodes) {
    const total = sum(node);
    if (!rows.has(total)) rows.set(total, []);
    rows.get(total).push(node);
  }
  return [...rows.entries()].sort((a, b) => b[0] - a[0]).map(([total, row]) => ({
    total, row: row.sort((a, b) => (key(a.at) < key(b.at) ? -1 : 1)),
  }));
}

/** Places of all nodes and the lines between those that are one level apart; `most` boxes fit in a line. */
export function layOut(nodes, columns, room) {
  const box = Math.max(76, 9 * Math.max(...nodes.map((node) => vector(node.levels, columns).length)) + 18);
  const rows = ranks(nodes);
  const longest = Math.max(...rows.map(({ row }) => row.length));
  const most = Math.max(1, Math.min(longest, Math.floor((room - BOX.left + BOX.gap) / (box + BOX.gap))));
  const inner = most * (box + BOX.gap) - BOX.gap;
  const places = new Map();
  const sums = [];
  let y = 8;
  for (const { total, row } of rows) {
    sums.push({ total, y: y + BOX.height / 2 });
    for (let start = 0; start < row.length; start += most) {
      const part = row.slice(start, start + most);
      const first = BOX.left + (inner - part.length * (box + BOX.gap) + BOX.gap) / 2;
      part.forEach((node, i) => places.set(node.key, { node, x: first + i * (box + BOX.gap), y }));
      y += BOX.height + 8;
    }
    y += BOX.row - 8;
  }
  const lines = [];
  for (const { node, x, y: top } of places.values()) {
    node.at.forEach((level, i) => {
      const above = places.get(key([...node.at.slice(0, i), level + 1, ...node.at.slice(i + 1)]));
      if (above) {
        lines.push({
          ends: [node.key, above.node.key], x1: x + box / 2, y1: top, x2: above.x + box / 2, y2: above.y + BOX.height, way: node.satisfies && above.node.satisfies,
        });
      }
    });
  }
  return { wrapped: most < longest, width: BOX.left + inner + 8, height: y - BOX.row + 8, box, tall: BOX.height, places, sums, lines, rows };
}
