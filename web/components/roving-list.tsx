import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { isTyping } from "../state/shortcuts.ts";

interface RovingListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Draws one. Its first link or button takes the `tabIndex`, so that the list is one stop for the Tab key. */
  readonly render: (item: Item, tabIndex: 0 | -1) => ComponentChildren;
  readonly class?: string;
  /** Told where the keys moved to. */
  readonly onMove?: (item: Item) => void;
  /** The row that Tab leads to at first. */
  readonly start?: string | undefined;
}

/**
 * A list of links or buttons: one stop for the Tab key, arrows and j/k inside. Home and End go to its ends. Keys typed
 * into a field are left alone.
 */
export function RovingList<Item>(props: RovingListProps<Item>) {
  const { label, items, keyOf, render, class: className = "", onMove, start } = props;
  const list = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState<string | undefined>(undefined);
  const keys = items.map(keyOf);
  const active = current !== undefined && keys.includes(current) ? current : (start ?? keys[0]);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLUListElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const index = keys.indexOf(active ?? "");
    const next = steps[event.key]?.(index, keys.length);
    if (next === undefined) return;
    event.preventDefault();
    const key = keys[Math.min(Math.max(next, 0), keys.length - 1)];
    setCurrent(key);
    const item = items[keys.indexOf(key ?? "")];
    if (item !== undefined) onMove?.(item);
    focusRow(list.current, keys.indexOf(key ?? ""));
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it only moves the focus among its rows
    <ul ref={list} class={`rows ${className}`} aria-label={label} onKeyDown={onKeyDown}>
      {items.map((item, index) => (
        <li
          key={keys[index]}
          class={keys[index] === active ? "row active" : "row"}
          onFocusCapture={() => setCurrent(keys[index])}
        >
          {render(item, keys[index] === active ? 0 : -1)}
        </li>
      ))}
    </ul>
  );
}

const steps: Readonly<Record<string, (index: number, length: number) => number>> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  j: (index) => index + 1,
  k: (index) => index - 1,
  Home: () => 0,
  End: (_, length) => length - 1,
};

function focusRow(list: HTMLUListElement | null, index: number): void {
  const row = list?.children[index];
  row?.querySelector<HTMLElement>("a, button, [tabindex]")?.focus();
  row?.scrollIntoView({ block: "nearest" });
}
