import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { isFirstPlace } from "../router/location.ts";

/**
 * What has come takes the focus when what had it is gone, or was only the way here: otherwise a screen reader says nothing,
 * and somebody at the keyboard begins at the top. Not on the page that the browser opened: there the focus is its own.
 */
export function useLostFocus(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (isFirstPlace()) return;
    const { activeElement: focused } = document;
    if (focused === null || focused === document.body || focused.closest("nav") !== null) {
      element.current?.focus({ preventScroll: true });
    }
  }, [element]);
}
