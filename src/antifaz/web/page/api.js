// The only way to the server: REST under /api/v1, with the session's cookie.
import { connection, session, way } from "./store.js";
import { language, t } from "./words.js";

const ROOT = "/api/v1";

// What went wrong, in one sentence, with what the server says of where.
export class ApiError extends Error {
  constructor(status, code, message, where = null, reason = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.where = where;
    this.reason = reason;
  }
}

export const api = {
  get: (path, options) => ask("GET", path, undefined, options),
  post: (path, body = {}, options) => ask("POST", path, body, options),
  put: (path, body, options) => ask("PUT", path, body, options),
  patch: (path, body, options) => ask("PATCH", path, body, options),
  del: (path, options) => ask("DELETE", path, undefined, options),
  upload,
  events,
  // Where the browser itself may fetch from: downloads and reports.
  url: (path) => ROOT + path,
};

async function ask(method, path, body, { signal } = {}) {
  for (;;) {
    try {
      return await once(method, path, body, signal);
    } catch (error) {
      // What only reads is asked again when the server is back; what writes is told to whoever asked.
      if (!(error instanceof ApiError) || error.code !== "lost" || method !== "GET") throw error;
      await back(signal);
    }
  }
}

async function once(method, path, body, signal) {
  // What the server says, it says in the language shown.
  const headers = { Accept: "application/json", "Accept-Language": language.get() };
  if (method !== "GET") headers["X-Antifaz-Csrf"] = session.get()?.csrf ?? "";
  const form = body instanceof FormData;
  if (body !== undefined && !form) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(ROOT + path, {
      method,
      headers,
      signal,
      credentials: "same-origin",
      body: body === undefined || form ? body : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    lost();
    throw new ApiError(0, "lost", t("app.lost"));
  }
  if (connection.get() !== "up") connection.set("up");
  if (answer.status === 401) way.set(answer.headers.get("WWW-Authenticate")?.match(/by="(\w+)"/)?.[1] ?? null);
  return read(answer.status, answer.headers.get("Content-Type") ?? "", await answer.text());
}

function read(status, type, text) {
  const data = type.includes("json") && text ? parsed(text) : text;
  if (status < 400) return status === 204 ? null : data;
  if (status === 401) session.set(null);
  const told = data?.error ?? {};
  throw new ApiError(status, told.code ?? "internal", told.message ?? t("app.unclear", { status }), told.where, told.reason);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// Send a form, telling the share that has gone. XMLHttpRequest, because fetch does not tell.
function upload(path, form, onShare, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", ROOT + path);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Accept-Language", language.get());
    request.setRequestHeader("X-Antifaz-Csrf", session.get()?.csrf ?? "");
    request.upload.onprogress = (event) => event.lengthComputable && onShare?.(event.loaded / event.total);
    request.onload = () => {
      try {
        resolve(read(request.status, request.getResponseHeader("Content-Type") ?? "", request.responseText));
      } catch (error) {
        reject(error);
      }
    };
    request.onerror = () => {
      lost();
      reject(new ApiError(0, "lost", t("app.lost.upload")));
    };
    request.onabort = () => reject(new DOMException("", "AbortError"));
    signal?.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

// Follow a run. Returns what ends the following. The browser asks again by itself when the line is cut.
function events(run, onRun, onEnd) {
  const source = new EventSource(`${ROOT}/runs/${run}/events?language=${language.get()}`);
  source.addEventListener("progress", (event) => onRun(JSON.parse(event.data)));
  source.addEventListener("end", (event) => {
    source.close();
    const last = parsed(event.data);
    if (last?.id) onRun(last);
    onEnd?.(last);
  });
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    // Refused, not cut: the run's own page says what it is.
    api.get(`/runs/${run}`).then(
      (found) => (onRun(found), onEnd?.(found)),
      () => onEnd?.(null),
    );
  };
  return () => source.close();
}

let waiting = null;

function lost() {
  if (connection.get() !== "lost") connection.set("lost");
  waiting ??= probe().finally(() => (waiting = null));
}

// Knock every two seconds until somebody answers.
async function probe() {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    try {
      const answer = await fetch(`${ROOT}/session`, { credentials: "same-origin" });
      connection.set("up");
      if (answer.status === 401) session.set(null);
      return;
    } catch {
      // Still away.
    }
  }
}

function back(signal) {
  return new Promise((resolve, reject) => {
    if (connection.get() === "up") return void resolve();
    const stop = connection.watch((state) => state === "up" && (stop(), resolve()));
    signal?.addEventListener("abort", () => (stop(), reject(new DOMException("", "AbortError"))));
  });
}
