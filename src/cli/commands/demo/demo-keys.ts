import type { Key } from "../../repl/input/keys.ts";

/** What a key means where nothing is typed. `interrupt` leaves as well, unless there is something to stop. */
export function meaningOf(key: Key): "go on" | "leave" | "interrupt" | null {
  if (key.kind === "text") return key.text.toLowerCase() === "q" ? "leave" : null;
  if (key.kind === "paste") return null;
  return meanings[key.name] ?? null;
}

const meanings: Readonly<Record<string, "go on" | "leave" | "interrupt">> = {
  enter: "go on",
  escape: "leave",
  "ctrl-d": "leave",
  "ctrl-c": "interrupt",
};
