import type { Finding } from "../finding.ts";
import { locate } from "../paths.ts";
import type { Place } from "../place.ts";

/** What a Tcl script would do by its own commands; programs that it starts are left to `findTclCommands`. */
export function judgeTcl(text: string, place: Place): Finding[] {
  const findings: Finding[] = [];
  const add = (verdict: Finding["verdict"], rule: string, reason: string): void => {
    findings.push({ verdict, rule, reason, command: text });
  };
  if (findTclCommands(text).some((command) => command === null))
    add("unknown", "code.command", "The code starts a program that is not known beforehand.");
  if (/\bfile\s+delete\b/.test(text)) add("danger", "code.delete", "The code deletes files.");
  if (/(?:^|[;[{\n])[ \t]*(?:eval|uplevel|subst)\s/.test(text))
    add("unknown", "code.evaluated", "The code runs text that is not known beforehand.");
  if (/\bsocket\s/.test(text) && /\b(?:exec|open)\b/.test(text))
    add("danger", "code.reverse-shell", "The code hands a program to another machine.");
  const writes = /\bopen\s+\S+\s+"?[wa+]|\bfile\s+(?:rename|copy|attributes|mkdir)\b/.test(text);
  if (writes && text.split(/[\s"{}[\];]+/).some((word) => isForbidden(word, place)))
    add("danger", "code.write", "The code changes a file of the system or one that starts programs.");
  return findings;
}

/** `exec rm -rf a`, `spawn ssh host`, `open "|cmd"`: as one would type it; null when it is not literal. */
export function findTclCommands(text: string): (string | null)[] {
  const started = [...text.matchAll(/(?<![\w-])(?:exec|spawn|system)\s+((?:-\w+\s+)*)([^;\n\]]+)/g)].map(
    ([, , command]) => command!,
  );
  const piped = [...text.matchAll(/\bopen\s+(?:"|\{)?\|\s*([^"}\]\n]+)/g)].map(([, command]) => command!);
  return [...started, ...piped].map((command) => (/[$[]/.test(command) ? null : command.replace(/[{}]/g, '"')));
}

function isForbidden(word: string, place: Place): boolean {
  if (!/^[/~.]/.test(word)) return false;
  return ["system", "protected", "device"].includes(locate({ text: word, kind: "literal", prefix: word }, place));
}
