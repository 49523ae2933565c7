import { createHmac } from "node:crypto";
import type { Execution } from "../../core/execution.ts";
import type { Mask, MaskStream } from "../../core/mask.ts";
import { commandTriggers } from "./find-command-secret.ts";
import { headerTriggers } from "./find-header-secret.ts";
import { keyedTriggers } from "./find-keyed-secret.ts";
import { privateKeyTriggers } from "./find-private-key.ts";
import { findSecrets } from "./find-secrets.ts";
import { urlTriggers } from "./find-url-secret.ts";
import { vendorTriggers } from "./find-vendor-secret.ts";
import { webTokenTriggers } from "./find-web-token.ts";
import { knownValueTriggers } from "./known-values.ts";
import { maskExecution } from "./mask-execution.ts";
import { createMaskStream } from "./mask-stream.ts";
import { maskValue } from "./mask-value.ts";
import type { SecretSpan } from "./secret-span.ts";
import { createTriggerIndex, extendTriggerIndex, type TriggerIndex } from "./trigger-index.ts";

/**
 * Takes secrets out of whatever is about to be written or told. Only the secret itself is replaced, by
 * `[MASKED:family:hash]`; the hash is keyed, so equal secrets can be compared and nobody can guess them from it.
 * Masking what is masked changes nothing. Never throws.
 */
export interface Masker extends Mask {
  /** Deep: strings are masked, also by the key they stand under; keys stay. What has nothing to mask is given back as it is. */
  value<Value>(value: Value): Value;
  stream(): MaskStream;
  /** From now on, this value and its encoded forms are secret. Shorter than 8 characters: nothing could be told from words. */
  add(value: string): void;
}

export interface MaskerOptions {
  /** Values that are known to be secret, such as those of `findEnvironmentSecrets`. */
  readonly values: Iterable<string>;
  /** Of this installation; makes the hashes in the marks. */
  readonly key: string | Buffer;
}

export function createMasker({ values, key }: MaskerOptions): Masker {
  let index = extendTriggerIndex(sharedIndex(), [...new Set(values)].flatMap(knownValueTriggers));
  const hashes = new Map<string, string>();

  function hashOf(secret: string): string {
    const known = hashes.get(secret);
    if (known !== undefined) return known;
    const hash = createHmac("sha256", key).update(secret).digest("hex").slice(0, 6);
    if (hashes.size >= maxHashes) hashes.clear();
    hashes.set(secret, hash);
    return hash;
  }

  function replace(text: string, spans: readonly SecretSpan[], range: { from: number; to: number }): string {
    let masked = "";
    let at = range.from;
    for (const { start, end, family, value } of spans) {
      if (start < range.from || start >= range.to) continue;
      masked += `${text.slice(at, start)}[MASKED:${family}:${hashOf(value ?? text.slice(start, end))}]`;
      at = end;
    }
    return masked + text.slice(at, Math.max(at, range.to));
  }

  function text(given: string): string {
    const spans = findSecrets(given, index);
    return spans.length === 0 ? given : replace(given, spans, { from: 0, to: given.length });
  }

  const value = <Value>(given: Value): Value => maskValue(given, { text, hashOf });
  return {
    text,
    value,
    execution: (execution: Execution) => maskExecution(execution, { text, value }),
    stream: () => createMaskStream({ find: (given) => findSecrets(given, index), replace }),
    add(secret) {
      index = extendTriggerIndex(index, knownValueTriggers(secret));
    },
  };
}

const maxHashes = 1000;

let shared: TriggerIndex | undefined;

function sharedIndex(): TriggerIndex {
  shared ??= createTriggerIndex([
    ...privateKeyTriggers(),
    ...vendorTriggers(),
    ...webTokenTriggers(),
    ...urlTriggers(),
    ...headerTriggers(),
    ...commandTriggers(),
    ...keyedTriggers(),
  ]);
  return shared;
}
