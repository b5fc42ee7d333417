// A value that components can watch.
import { useEffect, useState } from "./html.js";

export function store(initial) {
  let value = initial;
  const watchers = new Set();
  return {
    get: () => value,
    set(next) {
      value = typeof next === "function" ? next(value) : next;
      for (const watcher of [...watchers]) watcher(value);
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

export function useStore(source) {
  const [value, setValue] = useState(source.get());
  useEffect(() => {
    setValue(source.get());
    return source.watch(setValue);
  }, [source]);
  return value;
}

export const session = store(null); // what GET /session says; null while nobody is signed in
export const way = store(null); // how the server lets people in: code | account; null while it has not said
export const connection = store("up"); // up | lost
export const meta = store(null); // what GET /meta says in the language shown
export const place = store(location.pathname);
export const imported = store(null); // what was not taken over of a project that was just imported: {id, notes}

// What the browser may remember is only how the page looks, never anything of the data.
export function remembered(key, otherwise) {
  try {
    return localStorage.getItem(`antifaz.${key}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(`antifaz.${key}`);
    else localStorage.setItem(`antifaz.${key}`, value);
  } catch {
    // Some browsers forbid it; the page works without.
  }
}
