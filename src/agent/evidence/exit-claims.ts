import { findCommand } from "./command-claims.ts";
import { commandShape } from "./command-text.ts";
import type { Claim, Verdict } from "./evidence.ts";
import type { Statement } from "./parse-answer.ts";
import type { TracedCall } from "./trace.ts";

const patterns = [
  /\bexit(?:s|ed|ing)?(?: with)?(?: an?| the)?(?: exit)?(?: code| status)?(?: of| was| is|:)? (\d{1,3})\b/gi,
  /\breturn(?:s|ed) (?:exit )?code (\d{1,3})\b/gi,
  /종료 코드(?:는|가|:)?\s*(\d{1,3})/g,
];

/** Exit codes that an answer names. */
export function findExitClaims(statements: readonly Statement[], calls: readonly TracedCall[]): Claim[] {
  // Without a command it is about exit codes in general.
  if (!calls.some(({ command }) => command !== null)) return [];
  return statements.flatMap(({ text, spans }) => {
    const plain = text.replaceAll(/[`*]/g, "");
    const command = spans.find((span) => commandShape(span.text) !== "no")?.text;
    return patterns
      .flatMap((pattern) => [...plain.matchAll(pattern)])
      .map((found) => judge(found[0], Number(found[1]), { command, calls }));
  });
}

function judge(
  text: string,
  code: number,
  { command, calls }: { readonly command: string | undefined; readonly calls: readonly TracedCall[] },
): Claim {
  const claim = (verdict: Verdict, call: TracedCall | undefined, why: string): Claim => ({
    kind: "exit_code",
    text,
    verdict,
    executionId: call?.id ?? null,
    why,
  });
  const ended = calls.filter(({ exitCode }) => exitCode !== null);
  const named = command === undefined ? undefined : findCommand(command, ended)?.call;
  if (named) {
    if (named.exitCode === code) return claim("matched", named, "The command ended so.");
    return claim("contradicted", named, `The command ended with exit code ${named.exitCode}.`);
  }
  const found = ended.findLast(({ exitCode }) => exitCode === code);
  if (found) return claim("matched", found, "A command ended so.");
  const last = ended.at(-1);
  if (last && ended.length === 1)
    return claim("contradicted", last, `The command ended with exit code ${last.exitCode}.`);
  return claim("unmatched", undefined, "No command of this turn ended with this exit code.");
}
