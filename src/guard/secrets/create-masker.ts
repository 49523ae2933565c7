import { createHmac } from "node:crypto";
import type { Execution } from "../../core/call.ts";
import type { Mask, MaskStream } from "../../core/mask.ts";
import { isWorthHiding } from "./environment-secrets.ts";
import { commandTriggers } from "./find-command-secret.ts";
import { headerTriggers, webTokenTriggers } from "./find-header-secret.ts";
import { keyedTriggers } from "./find-keyed-secret.ts";
import { privateKeyTriggers } from "./find-private-key.ts";
import { findSecrets, type TextKind } from "./find-secrets.ts";
import { urlTriggers } from "./find-url-secret.ts";
import { vendorTriggers } from "./find-vendor-secret.ts";
import { findOpenValue, knownValueTriggers } from "./known-values.ts";
import { createMaskStream, heldBack, type StreamStart } from "./mask-stream.ts";
import { maskExecution, maskValue, type ValueMask } from "./mask-value.ts";
import { createTriggerIndex, extendTriggerIndex, type SecretSpan, type TriggerIndex } from "./trigger-index.ts";

/**
 * Takes secrets out of whatever is about to be written or told. Only the secret itself is replaced, by
 * `[MASKED:family:hash]`; the hash is keyed, so equal secrets can be compared and nobody can guess them from it.
 * Masking what is masked changes nothing. Never throws.
 */
export interface Masker extends Mask {
  /**
   * Deep: strings are masked, also by the key they stand under; keys stay, unless one holds a secret. What a key tells to
   * be secret in one place is masked in all of them. What has nothing to mask is given back as it is.
   */
  value<Value>(value: Value): Value;
  stream(begins?: StreamStart): MaskStream;
  /** From now on, this value and its encoded forms are secret. Shorter than 8 characters: nothing could be told from words. */
  add(value: string): void;
  /** The values that are known to be secret. */
  known(): readonly string[];
}

export interface MaskerOptions {
  /** Values that are known to be secret, such as those of `findEnvironmentSecrets`. */
  readonly values: Iterable<string>;
  /** Of this installation; makes the hashes in the marks. */
  readonly key: string | Buffer;
}

export function createMasker({ values, key }: MaskerOptions): Masker {
  let index = sharedIndex();
  /** Values that a stream could let go before it has seen them whole. */
  const longWords: string[] = [];
  const known = new Set<string>();
  const hashes = new Map<string, string>();
  const names = new Map<string, string>();
  addValues(values);

  function addValues(secrets: Iterable<string>): void {
    const fresh = new Set(secrets);
    for (const secret of fresh) known.add(secret);
    const triggers = [...fresh].flatMap((secret) => knownValueTriggers(secret));
    index = extendTriggerIndex(index, triggers);
    longWords.push(...triggers.map(({ word }) => word).filter((word) => word.length > heldBack || word.includes("\n")));
    names.clear();
  }

  function hashOf(secret: string): string {
    return remember(hashes, secret, () => createHmac("sha256", key).update(secret).digest("hex").slice(0, 6));
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

  function replaceAll(text: string, spans: readonly SecretSpan[]): string {
    return spans.length === 0 ? text : replace(text, spans, { from: 0, to: text.length });
  }

  const text = (given: string): string => replaceAll(given, findSecrets(given, index));
  const name = (given: string): string => remember(names, given, () => text(given));

  /** What the record at hand gave away. One for all of them: every call passes here, and masking is never interrupted. */
  let echoes: Map<string, string> | undefined;
  const noting: ValueMask = {
    text(given, kind) {
      const spans = findSecrets(given, index, kind);
      for (const { start, end, family } of spans) noting.note(given.slice(start, end), family);
      return replaceAll(given, spans);
    },
    name,
    hashOf,
    note(secret, family) {
      if (isEcho(secret, family) && (echoes?.size ?? 0) < maxEchoes) (echoes ??= new Map()).set(secret, family);
    },
  };

  /** A secret that is told by what stands around it in one text is masked in the others of the same record as well. */
  function maskTogether<Given>(given: Given, run: (given: Given, mask: ValueMask) => Given): Given {
    echoes = undefined;
    const first = run(given, noting);
    if (echoes === undefined) return first;
    const wider = extendTriggerIndex(
      index,
      [...(echoes as Map<string, string>)].flatMap(([secret, family]) => knownValueTriggers(secret, family)),
    );
    const again = (each: string, kind: TextKind): string => replaceAll(each, findSecrets(each, wider, kind));
    return run(given, { text: again, name: (each) => again(each, "text"), hashOf, note: () => {} });
  }

  return {
    text,
    value: <Value>(given: Value): Value => maskTogether(given, maskValue),
    execution: (execution: Execution) => maskTogether(execution, maskExecution),
    stream: (begins) =>
      createMaskStream(
        {
          find: (given) => findSecrets(given, index),
          findOpenValue: (given, range) => findOpenValue(given, longWords, range),
          replace,
        },
        begins,
      ),
    add: (secret) => addValues([secret]),
    known: () => [...known],
  };
}

const maxRemembered = 1000;
const maxEchoes = 32;

function remember(known: Map<string, string>, given: string, make: () => string): string {
  const made = known.get(given);
  if (made !== undefined) return made;
  if (known.size >= maxRemembered) known.clear();
  const fresh = make();
  known.set(given, fresh);
  return fresh;
}

/** Vendors' formats are found wherever they stand; what only a key tells is not. Words would be found everywhere. */
function isEcho(secret: string, family: string): boolean {
  return contextFamilies.has(family) && secret.length <= 256 && !secret.includes("\n") && isWorthHiding(secret);
}

const contextFamilies: ReadonlySet<string> = new Set(
  "password token key secret credential header cookie url-password url-token".split(" "),
);

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
