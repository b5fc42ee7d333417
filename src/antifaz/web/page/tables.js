// The tables of a project. Each step works on one of them as if it were the whole project: `tableDocument` gives it that
// document, and `withTableDocument` puts what it changed back to where it is said. A project of one table is the case
// of one, under the empty name.

/** What each of several tables says for itself; all else is said of the whole. */
const OWN = ["kind", "source", "attributes", "sample", "survey", "perturbation", "privacy", "method", "release"];
/** What is said of a repeated attribute, for all its columns at once. */
const OF_REPEATED = ["hierarchy", "operation"];

export const isSeveral = (project) => project?.document?.tables !== undefined && project.document.tables !== null;
export const tableNames = (project) => (isSeveral(project) ? Object.keys(project.document.tables) : [""]);

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const without = (object, keys) => Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

/** The repeated attributes that a table has, each with its column there. */
const repeatedOf = (document, name) => (document.repeated ?? []).filter((one) => one.columns?.[name]).map((one) => [one, one.columns[name]]);

/** One table as the document of a project of its own. */
export function tableDocument(document, name) {
  if (!name) return document;
  const shared = without(document, ["tables", "repeated"]);
  const own = document.tables?.[name] ?? {};
  const view = { ...shared, ...own, attributes: { ...(own.attributes ?? {}) } };
  for (const key of ["source", "release"]) if (shared[key] || own[key]) view[key] = { ...shared[key], ...own[key] };
  if (view.kind === "light") delete view.privacy;
  for (const [one, column] of repeatedOf(document, name)) {
    const said = Object.fromEntries(OF_REPEATED.filter((key) => one[key] !== undefined).map((key) => [key, one[key]]));
    const role = view.attributes[column]?.role ?? roleElsewhere(document, one);
    view.attributes[column] = { ...(role ? { role } : {}), ...view.attributes[column], ...said };
  }
  return view;
}

const roleElsewhere = (document, one) =>
  Object.entries(one.columns).map(([table, column]) => document.tables?.[table]?.attributes?.[column]?.role).find(Boolean);

/** The whole document after one table's was changed. */
export function withTableDocument(document, name, view) {
  if (!name) return view;
  const shared = without(document, ["tables", "repeated"]);
  const next = { ...without(view, OWN), ...pick(shared, OWN), tables: { ...document.tables } };
  const own = {};
  for (const key of OWN) if (view[key] !== undefined && !same(view[key], shared[key])) own[key] = view[key];
  for (const key of ["source", "release"]) {
    if (!view[key]) continue;
    own[key] = Object.fromEntries(Object.entries(view[key]).filter(([inner, value]) => !same(shared[key]?.[inner], value)));
    if (!Object.keys(own[key]).length) delete own[key];
  }
  if (view.kind === undefined && shared.kind === "light") own.kind = "complete";
  next.tables[name] = own;
  if (document.repeated) next.repeated = document.repeated.map((one) => (one.columns?.[name] ? gathered(next, one, name, document) : one));
  return next;
}

const pick = (object, keys) => Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)));

/** A repeated attribute with what was said of its column in one table; its role is the same in all of them. */
function gathered(next, one, name, before) {
  const column = one.columns[name];
  const attribute = next.tables[name].attributes?.[column];
  if (!attribute) return one;
  const said = pick(attribute, OF_REPEATED);
  const known = before.tables[name]?.attributes?.[column]?.role;
  for (const [table, other] of Object.entries(one.columns)) {
    const part = next.tables[table];
    if (!part) continue;
    const held = without(part.attributes?.[other] ?? {}, OF_REPEATED);
    const role = table === name || (known && known !== attribute.role) ? { role: attribute.role } : {};
    next.tables[table] = { ...part, attributes: { ...part.attributes, [other]: { ...held, ...(role.role ? role : {}) } } };
  }
  return { ...without(one, OF_REPEATED), ...said };
}

/** Say that columns of several tables are one attribute: what the first says of it holds for all. */
export function addRepeated(document, name, columns) {
  const made = { name, columns };
  for (const key of OF_REPEATED) {
    const said = Object.entries(columns).map(([table, column]) => document.tables[table]?.attributes?.[column]?.[key]).find((one) => one !== undefined);
    if (said !== undefined) made[key] = said;
  }
  const role = roleElsewhere(document, made);
  const next = { ...document, tables: { ...document.tables }, repeated: [...(document.repeated ?? []), made] };
  for (const [table, column] of Object.entries(columns)) {
    const part = next.tables[table] ?? {};
    const held = without(part.attributes?.[column] ?? {}, OF_REPEATED);
    next.tables[table] = { ...part, attributes: { ...part.attributes, [column]: role ? { ...held, role } : held } };
  }
  return next;
}

/** Say no longer that columns are one attribute: each says for itself from now on what was said of all. */
export function removeRepeated(document, at) {
  const one = document.repeated[at];
  const next = { ...document, tables: { ...document.tables }, repeated: document.repeated.filter((_, index) => index !== at) };
  if (!next.repeated.length) delete next.repeated;
  for (const [table, column] of Object.entries(one.columns ?? {})) {
    const part = next.tables[table];
    if (part) next.tables[table] = { ...part, attributes: { ...part.attributes, [column]: { ...part.attributes?.[column], ...pick(one, OF_REPEATED) } } };
  }
  return next;
}

/** A project as a step sees it: the document and the data set of one table. */
export const tableProject = (project, name) =>
  name ? { ...project, document: tableDocument(project.document, name), dataset: project.datasets?.[name] ?? null } : project;

/** A way to save what a step changed of one table. */
export const tableSave = (save, name) => (patch) => {
  if (!name) return save(patch);
  const { document, dataset, ...rest } = patch;
  const told = dataset === undefined ? rest : { ...rest, datasets: { [name]: dataset } };
  if (document === undefined) return save(told);
  const changed = (whole) => {
    const view = structuredClone(tableDocument(whole, name));
    return withTableDocument(whole, name, typeof document === "function" ? (document(view) ?? view) : document);
  };
  return save({ ...told, document: changed });
};

/** The part of a release, or of its evidence, that is about a table; null where it has none of that name. */
export function partOf(found, table) {
  const parts = found.parts ?? found.tables ?? {};
  if (!Object.keys(parts).length) return table ? null : found;
  return parts[table] ?? null;
}

/** What is added to an address of rows or files so that it is about a table. */
export const ofTable = (table) => (table ? `&table=${encodeURIComponent(table)}` : "");
