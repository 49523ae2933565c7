import { randomFillSync } from "node:crypto";

export type IdPrefix = "call" | "task" | "run" | "ses" | "ask" | "job" | "roll";

/**
 * A prefixed UUIDv7 (`call_0190…`): sorts by creation time, also within one millisecond of one process,
 * because the 12 bits after the version count up there (RFC 9562, method 1).
 */
export function createId(prefix: IdPrefix, now: number): string {
  const ms = Math.floor(now);
  if (ms > lastMs) {
    lastMs = ms;
    counter = randomBits(11); // top bit clear: room to count before the millisecond must be borrowed
  } else if (++counter > 0xfff) {
    lastMs += 1;
    counter = 0;
  }
  if (lastMs !== timeOf) {
    timeOf = lastMs;
    const digits = lastMs.toString(16).padStart(12, "0");
    time = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
  }
  const at = takeRandom(8);
  const variant = hex[0x80 | (pool[at]! & 0x3f)]!;
  return (
    `${prefix}_${time}${hex[counter >> 8]![1]!}${hex[counter & 0xff]!}-` +
    `${variant}${hex[pool[at + 1]!]!}-${hex[pool[at + 2]!]!}${hex[pool[at + 3]!]!}${hex[pool[at + 4]!]!}` +
    `${hex[pool[at + 5]!]!}${hex[pool[at + 6]!]!}${hex[pool[at + 7]!]!}`
  );
}

/** How the ids of this time begin: all that are made then or later sort after it. */
export function beginningOfIds(prefix: IdPrefix, at: number): string {
  const digits = Math.max(0, Math.floor(at)).toString(16).padStart(12, "0");
  return `${prefix}_${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/** True for an id that `createId` could have made with this prefix. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && uuid7.test(text.slice(prefix.length + 1));
}

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

// One system call fills randomness for many ids.
const pool = new Uint8Array(4096);
let poolAt = pool.length;
let lastMs = 0;
let counter = 0;
// Ids of one millisecond share their beginning.
let timeOf = -1;
let time = "";

function takeRandom(bytes: number): number {
  if (poolAt + bytes > pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  const at = poolAt;
  poolAt += bytes;
  return at;
}

function randomBits(bits: number): number {
  const at = takeRandom(2);
  return ((pool[at]! << 8) | pool[at + 1]!) & ((1 << bits) - 1);
}
