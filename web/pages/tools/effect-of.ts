import type { ToolItem } from "./types.ts";

/** What it may do, in a word or two. */
export function effectOf({ read_only, risk }: Pick<ToolItem, "read_only" | "risk">): string {
  return read_only ? "read-only" : `changes things, ${risk} risk`;
}
