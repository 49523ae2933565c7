import { createStore } from "../state/store.ts";

export interface Place {
  readonly path: string;
  /** With its question mark; empty when there is none. */
  readonly search: string;
}

export const place = createStore<Place>({ path: "/", search: "" });

let isFirst = true;

/** Whether what is shown is what the browser opened: nobody has gone anywhere yet. */
export function isFirstPlace(): boolean {
  return isFirst;
}

/** Follows the browser's own back and forward. */
export function followHistory(): void {
  const read = () => place.set({ path: location.pathname, search: location.search });
  addEventListener("popstate", () => {
    isFirst = false;
    read();
  });
  read();
}

export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const url = new URL(href, location.origin);
  if (url.origin !== location.origin) throw new Error(`Expected a page of the dashboard, got ${href}.`);
  const next = url.pathname + url.search;
  if (next === location.pathname + location.search) return;
  if (replace) history.replaceState(null, "", next);
  else history.pushState(null, "", next);
  isFirst = false;
  const moved = url.pathname !== place.get().path;
  place.set({ path: url.pathname, search: url.search });
  if (moved && !replace) scrollTo(0, 0);
}
