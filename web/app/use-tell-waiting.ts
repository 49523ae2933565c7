import { useEffect, useRef } from "preact/hooks";
import { countOf } from "../format/amount.ts";
import { announce } from "../state/announce.ts";

/** Says so when something new waits for a person; what waited from the start is on the badge. */
export function useTellWaiting(waiting: number | undefined): void {
  const before = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (waiting === undefined) return;
    const known = before.current;
    before.current = waiting;
    if (known !== undefined && waiting > known) {
      announce(`${countOf(waiting, "entry waits", "entries wait")} for you in the inbox.`);
    }
  }, [waiting]);
}
