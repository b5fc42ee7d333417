// Addresses: /, /glossary, /ledger, /p/PROJECT/STEP, of several tables /p/PROJECT/STEP/TABLE, tables of counts /p/PROJECT/counts, /runs/RUN. They hold ids, so that a reload comes back to the same place.
import { place } from "./store.js";

export function route(path) {
  const [head, id, step, table] = path.split("/").filter(Boolean);
  if (!head) return { view: "home" };
  if (head === "glossary" || head === "ledger") return { view: head };
  if (head === "p" && id && step === "counts") return { view: "counts", id, table: table && decodeURIComponent(table) };
  if (head === "p" && id) return { view: "project", id, step, table: table && decodeURIComponent(table) };
  if (head === "runs" && id) return { view: "run", id };
  return { view: "none" };
}

export function navigate(path, { replace = false } = {}) {
  if (path !== location.pathname) history[replace ? "replaceState" : "pushState"](null, "", path);
  place.set(path);
  scrollTo(0, 0);
}

// Links within the page do not load it anew; downloads and links of the service do what links do.
export function follow() {
  addEventListener("popstate", () => place.set(location.pathname));
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (
      !link ||
      event.defaultPrevented ||
      event.button ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const inside =
      link.origin === location.origin && !link.pathname.startsWith("/api/") && !link.pathname.startsWith("/page/");
    if (!inside || link.hasAttribute("download") || link.target || link.hash) return;
    event.preventDefault();
    navigate(link.pathname);
  });
}
