import { RuntimeError } from "../core/errors.ts";
import type { Environment } from "../core/process.ts";

/** Whether only what is built in may run: no tool file, no tool of an MCP server, no canary. */
export function isSafeMode(config: { readonly safeMode?: boolean }, env: Environment): boolean {
  if (config.safeMode !== undefined) return config.safeMode;
  const given = env["DECKHAND_SAFE_MODE"]?.trim().toLowerCase() ?? "";
  const value = values.get(given);
  if (value !== undefined) return value;
  throw new RuntimeError("CONFIG_INVALID", `DECKHAND_SAFE_MODE is to be 1 or 0; got "${given}".`);
}

const values = new Map([
  ["", false],
  ["0", false],
  ["false", false],
  ["no", false],
  ["1", true],
  ["true", true],
  ["yes", true],
]);

export const safeModeSentence =
  "Safe mode is on (DECKHAND_SAFE_MODE=1): tool files, tools of MCP servers and versions that are tried are left out.";
