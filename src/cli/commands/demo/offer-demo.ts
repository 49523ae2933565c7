import { systemClock } from "../../../core/clock.ts";
import { openInput } from "../../repl/input/open-input.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { meaningOf } from "./scratch.ts";

/** Does the person want to see the demo? Leaving is a no. */
export async function offerDemo(terminal: Terminal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const input = openInput(terminal, { program: process, clock: systemClock });
  const leave = (): void => resolve(false);
  terminal.stdin.once("end", leave);
  input.onKey((key) => {
    const meaning = meaningOf(key);
    if (meaning !== null) resolve(meaning === "go on");
    return true;
  });
  terminal.status("Enter starts the demo (about three minutes) · q leaves");
  try {
    return await promise;
  } finally {
    terminal.status(null);
    terminal.stdin.off("end", leave);
    input.close();
  }
}
