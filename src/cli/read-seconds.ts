import { UsageError, type Invocation } from "./command.ts";

/** `--timeout SECONDS`, in milliseconds. */
export function readSeconds(invocation: Invocation, option: string): number | undefined {
  const given = invocation.value(option);
  if (given === undefined) return undefined;
  const seconds = /^\d*\.?\d+$/.test(given) ? Number(given) : Number.NaN;
  if (seconds > 0 && Number.isFinite(seconds)) return Math.max(1, Math.round(seconds * 1000));
  throw new UsageError(`--${option} takes a number of seconds greater than 0, such as 1.5; got "${given}".`);
}
