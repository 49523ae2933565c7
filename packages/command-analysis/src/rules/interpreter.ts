import type { Finding } from "../finding.ts";
import { findInterpreter } from "../code/interpreters.ts";
import { judgeCode } from "../code/judge-code.ts";
import type { Place } from "../place.ts";
import type { SimpleCommand } from "../simple-command.ts";

/** One variable or one substitution and nothing else. */
function isOnlyUnknown(text: string): boolean {
  return /^(?:\$\{?[A-Za-z_][A-Za-z0-9_]*\}?|\$[@*0-9]|\$\([^)]*\)|`[^`]*`)$/.test(text);
}

/** Inline code, and code that is handed in as text. Shell text is analysed by whoever parses shells. */
export function judgeInterpreter(command: SimpleCommand, place: Place): Finding[] {
  const interpreter = findInterpreter(command);
  if (interpreter === null || interpreter.language === "shell") return [];
  const findings = interpreter.codes.flatMap((code) => judgeCode(interpreter.language, code.text, place));
  for (const code of interpreter.codes) {
    if (code.kind === "dynamic" && isOnlyUnknown(code.text)) {
      findings.push({
        verdict: "unknown",
        rule: "code.unclear",
        reason: "It runs code that is not known.",
        command: command.source,
      });
    }
  }
  if (interpreter.readsStdin && (command.input.kind === "text" || command.input.kind === "dynamic")) {
    findings.push(...judgeCode(interpreter.language, command.input.text, place));
  }
  return findings.map((finding) => ({ ...finding, command: command.source }));
}
