// The words of what the program declares (models, methods, operations, …) in the language shown.
// The server says them in English; translations are under declared.KIND.NAME and declared.parameter.NAME.
import { has, language, t } from "./words.js";

const spoken = (key, otherwise) => (has(key) ? t(key) : otherwise);
const readable = (name) => name.charAt(0).toUpperCase() + name.slice(1).replace(/[-_]/g, " ");

// kind: model | method | operation | perturbation | hierarchy | quality | role | type
export function titleOf(kind, declaration) {
  const name = declaration.name ?? declaration;
  return spoken(`declared.${kind}.${name}`, declaration.title ?? readable(name));
}

export function summaryOf(kind, declaration) {
  return spoken(`declared.${kind}.${declaration.name}.summary`, declaration.summary ?? declaration.help ?? "");
}

export function parameterLabel(declaration, parameter) {
  const own = `declared.parameter.${declaration.name}.${parameter}`;
  return has(own) ? t(own) : spoken(`declared.parameter.${parameter}`, readable(parameter));
}

// What the declaration says in English is exact; a translation is taken where there is one.
export function parameterHelp(declaration, parameter, described) {
  if (language.get() === "en" && described) return described;
  const own = `declared.parameter.${declaration.name}.${parameter}.help`;
  return has(own) ? t(own) : spoken(`declared.parameter.${parameter}.help`, described ?? "");
}

export function choiceLabel(declaration, parameter, value) {
  const own = `declared.choice.${declaration.name}.${parameter}.${value}`;
  return has(own) ? t(own) : spoken(`declared.choice.${parameter}.${value}`, String(value));
}

// What <Help> shows of a declaration.
export function helpOf(kind, declaration) {
  const text = [summaryOf(kind, declaration), declaration.details].filter(Boolean).join("\n");
  return { title: titleOf(kind, declaration), text, formula: declaration.formula, source: declaration.source };
}

// What keeps a project from being run; what the file calls a missing key, the page calls what is to be chosen.
export function problemText(problem) {
  const key = problem.code === "project.key-needed" && `problem.needs.${problem.values.key}`;
  return key && has(key) ? t(key) : problem.message;
}
