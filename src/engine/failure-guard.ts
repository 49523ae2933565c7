import { hash } from "node:crypto";
import { cutText } from "../core/text.ts";

/**
 * Remembers which calls keep failing. "In a row" means: without a successful call in between that changed something,
 * so edit → test → edit → test never trips it.
 */
export interface FailureGuard {
  /** How often this call failed in a row, and with what. */
  failuresOf(signature: () => string): { readonly count: number; readonly lastError: string };
  failed(signature: string, error: string): void;
  succeeded(signature: () => string, changedSomething: boolean): void;
}

/** More different failing calls than this in one conversation: the oldest is forgotten. */
const remembered = 1000;
const none = { count: 0, lastError: "" };

export function createFailureGuard(): FailureGuard {
  const failures = new Map<string, { count: number; lastError: string }>();
  return {
    // The signature is a function because it is dear, and a conversation without failures never needs it.
    failuresOf: (signature) => (failures.size === 0 ? none : (failures.get(signature()) ?? none)),
    failed(signature, error) {
      const count = (failures.get(signature)?.count ?? 0) + 1;
      failures.delete(signature);
      failures.set(signature, { count, lastError: cutText(error, 500) });
      if (failures.size > remembered) failures.delete(failures.keys().next().value!);
    },
    succeeded(signature, changedSomething) {
      if (failures.size === 0) return;
      if (changedSomething) failures.clear();
      else failures.delete(signature());
    },
  };
}

/** Longer ones are kept as a digest: a guard that remembers whole files would fill the memory. */
const longestSignature = 200;

/** Equal for the same tool with the same input, whatever the order of keys. */
export function callSignature(toolName: string, input: unknown): string {
  try {
    const signature = `${toolName} ${JSON.stringify(input, sortKeys)}`;
    return signature.length > longestSignature ? hash("sha256", signature) : signature;
  } catch {
    // Cyclic, too deep or a BigInt: no two of them count as the same call.
    return `${toolName} #${++unsayable}`;
  }
}

let unsayable = 0;

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
