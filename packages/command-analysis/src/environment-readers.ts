import { findInterpreter } from "./code/interpreters.ts";
import type { SimpleCommand } from "./simple-command.ts";

const everything =
  /\bos\.environb?\b(?!\s*(?:\[|\.get\b|\.setdefault))|\bprocess\.env\b(?!\s*[.[])|\bENV\.(?:to_h|inspect|each|map|sort|to_a)|\b(?:p|puts|print)\s+ENV\b(?!\[)|%ENV\b|\$_ENV\b(?!\[)|\$_SERVER\b(?!\[)|\bgetenv\s*\(\s*\)|\bDeno\.env\.toObject|\bBun\.env\b(?!\s*[.[])|\bin ENVIRON\b|\bSys(?:tem)?\.(?:getenv|get_env)\s*\(\s*\)/;
const named =
  /\b(?:environb?|env|ENV|ENVIRON|getenv|get_env)\b[^\w;\n]{1,6}(?:get[^\w;\n]{1,3})?\w*(?:SECRET|TOKEN|PASSW|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL)/;

/** Code that reads all variables of the environment, or one that is named like a secret. */
export function readsEnvironment(code: string): "everything" | "secret" | null {
  if (everything.test(code)) return "everything";
  return named.test(code) ? "secret" : null;
}

/** A program whose code or filter prints variables that may be secret. */
export function printsEnvironment(command: SimpleCommand): boolean {
  const { name, words } = command;
  if (/^(?:jq|gojq|jaq|yq)$/.test(name))
    return words
      .slice(1)
      .some(({ text }) => /(?:^|[^.\w$])env\b(?!\.\w)|\$ENV\b(?!\.\w)/.test(text) || named.test(text));
  if (name === "compgen") return words.some(({ text }) => /^-[a-z]*[ev]$/.test(text));
  const interpreter = findInterpreter(command);
  return interpreter !== null && interpreter.codes.some(({ text }) => readsEnvironment(text) !== null);
}
