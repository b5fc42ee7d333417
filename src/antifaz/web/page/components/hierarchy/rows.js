// A hierarchy as rows: [value, label at level 1, …, root]. Pure functions; each returns new rows.
// A label of a level has one parent. Every change keeps that, so that what a person does is never half done.

export const ANY = "*";

export const height = (rows) => (rows.length ? rows[0].length - 1 : 0);

const from = (row, level, above) => [...row.slice(0, level), ...above];

/** Where labels of a level are first found: label → the row's labels from that level up. */
function firsts(rows, level) {
  const found = new Map();
  for (const row of rows) if (!found.has(row[level])) found.set(row[level], row.slice(level));
  return found;
}

/** The labels of a level in their order. */
export const labels = (rows, level) => [...new Set(rows.map((row) => row[level]))];

/** Write one cell: the value goes to the group of that name, or to a new group under the same parent. */
export function setCell(rows, index, level, text) {
  const label = text.trim();
  if (!label || rows[index][level] === label) return rows;
  const there = firsts(rows, level).get(label);
  return rows.map((row, i) => {
    if (i !== index) return row;
    return there ? from(row, level, there) : from(row, level, [label, ...row.slice(level + 1)]);
  });
}

/** Move nodes of one level (labels) under a group of the level above; a group that is not there is made. */
export function move(rows, level, names, group) {
  const label = group.trim();
  const moved = new Set(names);
  if (!label || level >= height(rows)) return rows;
  const there = firsts(rows, level + 1).get(label);
  return rows.map((row) => {
    if (!moved.has(row[level])) return row;
    return from(row, level + 1, there ?? [label, ...row.slice(level + 2)]);
  });
}

/** Rename a group. A name that another group of the level has joins the two under that one's parent. */
export function rename(rows, level, label, text) {
  const name = text.trim();
  if (!name || name === label || level < 1) return rows;
  const there = firsts(rows, level).get(name);
  return rows.map((row) =>
    row[level] === label ? from(row, level, there ?? [name, ...row.slice(level + 1)]) : row,
  );
}

/** Put a level above `level`: each group gets a group of its own there, to be joined with others afterwards. */
export const addLevel = (rows, level) =>
  rows.map((row) => [...row.slice(0, level + 1), row[level], ...row.slice(level + 1)]);

/** Take a level away; values themselves (level 0) stay. */
export const removeLevel = (rows, level) =>
  level < 1 || height(rows) < 2 ? rows : rows.map((row) => [...row.slice(0, level), ...row.slice(level + 1)]);

export const isSuppressed = (rows) => rows.length > 0 && rows.every((row) => row.length > 1 && row.at(-1) === ANY);

/** A top level of '*' unless there is one. */
export const addSuppression = (rows) => (isSuppressed(rows) ? rows : rows.map((row) => [...row, ANY]));

/** What is wrong, as data: {kind, level, label}. The service checks again; this is said while one types. */
export function problems(rows) {
  const found = [];
  if (!rows.length) return [{ kind: "empty" }];
  const seen = new Set();
  for (const row of rows) {
    if (seen.has(row[0])) found.push({ kind: "twice", level: 0, label: row[0] });
    seen.add(row[0]);
  }
  const top = height(rows);
  if (top < 1) return [...found, { kind: "flat" }];
  for (let level = 0; level < top; level += 1) {
    const parents = new Map();
    for (const row of rows) {
      const known = parents.get(row[level]);
      if (known !== undefined && known !== row[level + 1]) {
        found.push({ kind: "parents", level, label: row[level] });
        break;
      }
      parents.set(row[level], row[level + 1]);
    }
  }
  const roots = labels(rows, top).length;
  if (roots > 1) found.push({ kind: "roots", level: top, count: roots });
  return found;
}

/** The hierarchy as a tree: {level, label, leaves, children}, largest level first. */
export function tree(rows) {
  const root = { level: height(rows) + 1, label: "", leaves: rows.length, children: [], index: new Map() };
  for (const row of rows) {
    let node = root;
    for (let level = row.length - 1; level >= 0; level -= 1) {
      let child = node.index.get(row[level]);
      if (!child) {
        child = { level, label: row[level], leaves: 0, children: [], index: new Map() };
        node.index.set(row[level], child);
        node.children.push(child);
      }
      child.leaves += 1;
      node = child;
    }
  }
  return root.children;
}

/** The name of a node that stays the same while the tree changes around it. */
export const nodeKey = (node) => `${node.level}\u0000${node.label}`;

/** The visible nodes in their order, for a list that is drawn in windows. */
export function visible(nodes, open, depth = 1, found = []) {
  nodes.forEach((node, i) => {
    found.push({ node, depth, place: i + 1, of: nodes.length });
    if (node.children.length && open.has(nodeKey(node))) visible(node.children, open, depth + 1, found);
  });
  return found;
}
