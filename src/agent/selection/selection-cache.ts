import { createHash } from "node:crypto";
import type { Tool } from "../../core/tool.ts";

/** Names that were chosen before for the same tools and the same words. */
export interface SelectionCache {
  get(key: string): readonly string[] | undefined;
  set(key: string, names: readonly string[]): void;
}

/** In memory; the least recently used choice goes first. */
export function createSelectionCache(maxEntries = 200): SelectionCache {
  const entries = new Map<string, readonly string[]>();
  return {
    get(key) {
      const names = entries.get(key);
      if (names) {
        entries.delete(key);
        entries.set(key, names);
      }
      return names;
    },
    set(key, names) {
      entries.delete(key);
      entries.set(key, names);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}

export interface ChoiceToKey {
  readonly tools: readonly Tool[];
  readonly prompt: string;
  /** All else that the choice depends on. */
  readonly settings: readonly unknown[];
}

/** Changes with any tool's name, description or schema; not with spaces and case of the prompt. */
export function selectionKey({ tools, prompt, settings }: ChoiceToKey): string {
  const words = prompt.normalize("NFC").toLowerCase().replaceAll(/\s+/g, " ").trim();
  const hash = createHash("sha256").update(JSON.stringify([words, settings]));
  for (const { name, description, inputSchema } of tools.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(JSON.stringify([name, description, inputSchema]));
  }
  return hash.digest("hex");
}
