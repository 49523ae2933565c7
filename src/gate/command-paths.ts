import type { SimpleCommand, Word } from "../safety/command/simple-command.ts";
import type { Judges } from "./judges.ts";
import type { TouchedPath } from "./subject.ts";

export interface CommandPaths {
  /** Arguments that lie in the workdir, or would. */
  readonly paths: readonly TouchedPath[];
  /** Arguments that certainly or possibly lead outside of it. */
  readonly outside: readonly string[];
  readonly secrets: readonly string[];
}

/** Which arguments of commands name files. Any word may: `cat .env` does not say that `.env` is one. */
export function wordPaths(commands: readonly SimpleCommand[], judges: Judges): CommandPaths {
  const paths: TouchedPath[] = [];
  const outside: string[] = [];
  const secrets: string[] = [];
  for (const word of commands.flatMap(argumentsOf)) {
    if (word.kind === "dynamic" && mayLeave(word.prefix)) outside.push(word.text);
    if (word.kind === "dynamic") continue;
    for (const path of pathsIn(word.text)) {
      const verdict = judges.path(path, "read");
      if (verdict.kind === "secret") secrets.push(path);
      if (verdict.kind === "outside" && looksLikePath(path)) outside.push(path);
      else paths.push({ given: path, access: "read", names: verdict.names });
    }
  }
  return { paths, outside, secrets };
}

function argumentsOf({ words, redirects }: SimpleCommand): Word[] {
  const files = redirects.flatMap(({ operator, target }) =>
    operator === "<&" || operator === ">&" || target.text === "/dev/null" ? [] : [target],
  );
  return [...words.slice(1), ...files];
}

/** A value that is not known may be an absolute path, unless known text stands before it. */
function mayLeave(prefix: string): boolean {
  return prefix === "" || prefix.startsWith("/") || prefix.startsWith("~") || prefix.startsWith("-");
}

/** The word itself, and what comes after `=` in `--file=/etc/x`. */
function pathsIn(text: string): string[] {
  const equals = text.indexOf("=");
  const whole = text === "" || text.startsWith("-") ? [] : [text];
  return equals >= 0 && equals < text.length - 1 ? [...whole, text.slice(equals + 1)] : whole;
}

/** `/^a.*b$/` given to grep is outside the workdir only by its looks; a path has no such signs. */
function looksLikePath(text: string): boolean {
  return !/[\^$|()\\{}]/.test(text);
}
