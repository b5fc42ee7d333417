// Light or dark: as the system says, or as chosen on the page.
import { remember, remembered, store } from "./store.js";

const system = matchMedia("(prefers-color-scheme: dark)");

export const theme = store("light");

function apply() {
  const chosen = remembered("theme", null);
  const now = chosen ?? (system.matches ? "dark" : "light");
  if (document.documentElement.dataset.theme !== now) document.documentElement.dataset.theme = now;
  theme.set(now);
}

export function switchTheme() {
  const next = theme.get() === "dark" ? "light" : "dark";
  remember("theme", next === (system.matches ? "dark" : "light") ? null : next);
  apply();
}

system.addEventListener("change", apply);
apply();
