import { createHash } from "node:crypto";
import { clipText } from "../../../core/cut-text.ts";
import { dropStack } from "./drop-stack.ts";
import { normalizeFailure } from "./normalize-failure.ts";

/** A failure may bring megabytes; its cause is told at the beginning. */
const longestRead = 20_000;
const longestCompared = 300;
const longestHead = 80;

/** The same for failures with the same cause, as far as their texts tell: sixteen hexadecimal digits, and what a person can read. */
export function signFailure(failure: { readonly error: string | null; readonly errorType: string | null }): string {
  const type = failure.errorType ?? "";
  const text = clipText(normalizeFailure(dropStack(clipText(failure.error ?? "", longestRead))), longestCompared);
  const hash = createHash("sha256").update(`${type}\n${text}`).digest("hex").slice(0, 16);
  return `${hash} ${clipText(text, longestHead).trimEnd() || type || "no text"}`;
}
