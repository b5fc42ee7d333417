// Questions that follow a slider: one is on its way at a time, and of those that wait only the last is asked.
import { useEffect, useRef, useState } from "../../html.js";

/** `ask(body)` answers a promise; `body` null asks nothing. Returns {value, problem, busy}. */
export function useLive(ask, body) {
  const [state, setState] = useState({ value: null, problem: null, busy: false });
  const line = useRef({ going: false, next: null, gone: false });
  const key = body && JSON.stringify(body);
  useEffect(() => () => { line.current.gone = true; }, []);
  useEffect(() => {
    if (!key) return;
    const own = line.current;
    own.gone = false;
    own.next = JSON.parse(key);
    if (own.going) return;
    const send = async () => {
      own.going = true;
      while (own.next && !own.gone) {
        const asked = own.next;
        own.next = null;
        setState((now) => ({ ...now, busy: true }));
        const found = await ask(asked).then((value) => ({ value, problem: null }), (problem) => ({ problem }));
        // What is shown follows the slider, also while more is on its way.
        if (!own.gone) setState((now) => ({ ...now, ...found, busy: own.next !== null }));
      }
      own.going = false;
    };
    send();
  }, [key, ask]);
  return state;
}
