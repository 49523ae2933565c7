import { useEffect, useRef } from "preact/hooks";
import { createStore } from "./store.ts";

const storageKey = "deckhand-shortcuts";
/** Single letters get in the way of some who speak to their computer: they can be switched off. */
export const areShortcutsOn = createStore(localStorage.getItem(storageKey) !== "off");

export function switchShortcuts(on: boolean): void {
  localStorage.setItem(storageKey, on ? "on" : "off");
  areShortcutsOn.set(on);
}

type Handler = (event: KeyboardEvent) => void;
const handlers = new Map<string, Handler[]>();
/** The first key of two, such as `g`, until the second comes. */
let first: { readonly key: string; readonly at: number } | undefined;
const patienceMs = 1500;

/** Something to do on a key, or on two in a row (`g n`), while the component is shown. The latest one to ask gets it. */
export function useShortcut(keys: string, handler: Handler): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    const mine: Handler = (event) => latest.current(event);
    handlers.set(keys, [...(handlers.get(keys) ?? []), mine]);
    return () => {
      handlers.set(
        keys,
        (handlers.get(keys) ?? []).filter((each) => each !== mine),
      );
    };
  }, [keys]);
}

export function startShortcuts(): void {
  addEventListener("keydown", (event) => {
    if (!areShortcutsOn.get() || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
    const two =
      first !== undefined && event.timeStamp - first.at < patienceMs ? `${first.key} ${event.key}` : undefined;
    first = undefined;
    const found = latestFor(two) ?? latestFor(event.key);
    if (found) {
      event.preventDefault();
      found(event);
    } else if (beginsOne(event.key)) {
      first = { key: event.key, at: event.timeStamp };
    } else if (event.key === "j" || event.key === "k") {
      enterList(event);
    }
  });
}

function latestFor(keys: string | undefined): Handler | undefined {
  return keys === undefined ? undefined : handlers.get(keys)?.at(-1);
}

function beginsOne(key: string): boolean {
  return [...handlers].some(([keys, list]) => keys.startsWith(`${key} `) && list.length > 0);
}

/** From anywhere on the page into its first list; inside one the list itself moves on. */
function enterList(event: KeyboardEvent): void {
  const row = document.querySelector<HTMLElement>("main .rows .row.active :is(a, button, [tabindex])");
  if (row === null) return;
  event.preventDefault();
  row.focus();
}

/** Keys typed into a field are the field's. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
