import { UsageError } from "./command.ts";

/** `--limit N`. */
export function readLimit(given: string | undefined, standard: number): number {
  if (given === undefined) return standard;
  const limit = /^\d+$/.test(given) ? Number(given) : 0;
  if (limit > 0 && Number.isSafeInteger(limit)) return limit;
  throw new UsageError(`--limit takes a whole number greater than 0, got "${given}".`);
}
