// One place to import Preact, its hooks and htm from.
import { Component, Fragment, createContext, h, render } from "./vendor/preact.module.js";
import htm from "./vendor/htm.module.js";

export {
  useCallback,
  useContext,
  useEffect,
  useErrorBoundary,
  useId,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "./vendor/hooks.module.js";
export { Component, Fragment, createContext, h, render };
export const html = htm.bind(h);
