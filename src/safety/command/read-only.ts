import { findInterpreter } from "./interpreters.ts";
import { optionTable, parseOptions } from "./parse-options.ts";
import { isReadOnlyGit } from "./read-only-git.ts";
import { readSedScript } from "./sed-script.ts";
import type { SimpleCommand, Word } from "./simple-command.ts";

/** Proved: the program, with these words, changes nothing. Redirects and variables are for the caller. False when in doubt. */
export function isReadOnlyProgram(command: SimpleCommand): boolean {
  const { name, words } = command;
  const program = words[0];
  if (program === undefined || program.kind !== "literal" || !isInstalled(program.text)) return false;
  const rest = words.slice(1);
  if (pure.has(name)) return true;
  if (asksVersion(name, rest)) return true;
  const denied = careful.get(name);
  if (denied !== undefined) return isCertain(rest) && !rest.some((word) => denied.test(word.text));
  const check = checks[name];
  return check !== undefined && isCertain(rest) && check(command, rest);
}

/** A bare name or a folder of the system: `./ls` may be anything. */
function isInstalled(text: string): boolean {
  return !text.includes("/") || /^\/(?:usr\/)?(?:local\/)?bin\/[^/]+$/.test(text);
}

/** No word could turn out to be an option that is not seen here. */
function isCertain(words: readonly Word[]): boolean {
  return words.every((word) =>
    word.kind === "literal" ? true : /^[^-*?[]/.test(word.prefix) && word.isSplit !== true,
  );
}

/** Whatever their options are. */
const pure: ReadonlySet<string> = new Set(
  (
    "ls cat head wc cut tr basename dirname realpath readlink stat du df id uname whoami groups pwd true false : " +
    "echo seq nl tac rev fold paste join comm cmp diff md5sum sha1sum sha224sum sha256sum sha384sum sha512sum " +
    "b2sum cksum sum shasum md5 od hexdump strings expr factor nproc arch tty users who w uptime free lsblk lscpu " +
    "lsusb lspci pgrep pidof ps getconf locale which type whereis column expand unexpand fmt pr tsort numfmt zcat " +
    "bzcat xzcat zgrep grep egrep fgrep jq cd sleep exit return break continue nm objdump readelf size sw_vers " +
    "lsof tokei cal"
  ).split(" "),
);

/** Pure without these options, written so that every beginning of a long one is caught. */
const careful: ReadonlyMap<string, RegExp> = new Map([
  ["tail", /^-[0-9a-zA-Z]*[fF]|^--f|^--ret/],
  ["sort", /^-[A-Za-z]*[oT]|^--o|^--co|^--t/],
  ["shuf", /^-[a-z]*o|^--o/],
  ["rg", /^--pre|^--hostname-bin/],
  ["file", /^-[A-Za-z]*C|^--c/],
  ["tree", /^-[A-Za-z]*[oR]|^--o/],
  ["base64", /^-[A-Za-z]*o|^--o/],
  ["base32", /^-[A-Za-z]*o|^--o/],
  ["iconv", /^-[A-Za-z]*o|^--o/],
  ["yq", /^-[A-Za-z]*[is]|^--in|^--sp/],
  ["ss", /^-[A-Za-z]*K|^--k/],
  ["netstat", /^-[a-z]*c|^--c/],
  ["find", /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/],
  ["fd", /^-[A-Za-z0-9]*[xX]|^--exec/],
  ["fdfind", /^-[A-Za-z0-9]*[xX]|^--exec/],
  ["printf", /^-v/],
  // `-v 'a[$(x)]'` makes the shell evaluate its operand.
  ["test", /^-v$|\$\(|`/],
  ["[", /^-v$|\$\(|`/],
]);

const dateOptions = optionTable(
  "s|set= d|date= f|file= r|reference= I|iso-8601=? R|rfc-email u|utc|universal rfc-3339= debug resolution",
);
const fewOperands = optionTable(
  "f|skip-fields= s|skip-chars= w|check-chars= c= g= l= o= seek= a b e i p r u d n E C R=",
);

const checks: Readonly<Record<string, (command: SimpleCommand, rest: readonly Word[]) => boolean>> = {
  git: (command) => isReadOnlyGit(command),
  date: (_, rest) => {
    const options = parseOptions(rest, dateOptions);
    return (
      !options.has("set") && options.unknown.length === 0 && options.operands.every((word) => word.text.startsWith("+"))
    );
  },
  uniq: (_, rest) => parseOptions(rest, fewOperands).operands.length <= 1,
  xxd: (_, rest) => parseOptions(rest, fewOperands).operands.length <= 1,
  hostname: (_, rest) => rest.length === 0,
  command: (_, rest) => /^-[vV]+$/.test(rest[0]?.text ?? ""),
  go: (_, rest) => rest.length === 1 && /^(?:version|env)$/.test(rest[0]!.text),
  sed: isReadOnlySed,
  gsed: isReadOnlySed,
  awk: isReadOnlyAwk,
  gawk: isReadOnlyAwk,
  mawk: isReadOnlyAwk,
};

function asksVersion(name: string, rest: readonly Word[]): boolean {
  if (rest.length !== 1) return false;
  const { text, kind } = rest[0]!;
  if (kind !== "literal" || !versioned.test(name.replace(/[0-9.]+$/, ""))) return false;
  return (
    text === "--version" ||
    text === "-V" ||
    (text === "-v" && /^(?:node|npm|yarn|pnpm|ruby|php|perl)$/.test(name)) ||
    (text === "-version" && name === "java")
  );
}

const versioned =
  /^(?:node|npm|npx|yarn|pnpm|bun|deno|python|pip|ruby|gem|perl|php|composer|rustc|cargo|java|javac|gcc|g\+\+|clang|cmake|make|docker|tsc|git|bash|zsh|curl|wget|jq|rg|psql|sqlite|mysql|gh|terraform|ffmpeg)$/;

function isReadOnlySed(command: SimpleCommand, rest: readonly Word[]): boolean {
  if (rest.some((word) => /^-[A-Za-z]*[if]|^--[if]/.test(word.text))) return false;
  const codes = findInterpreter(command)?.codes ?? [];
  return (
    codes.length > 0 &&
    codes.every((code) => {
      if (code.kind !== "literal") return false;
      const { runs, written } = readSedScript(code.text);
      return !runs && written.length === 0;
    })
  );
}

function isReadOnlyAwk(command: SimpleCommand, rest: readonly Word[]): boolean {
  if (rest.some((word) => /^-[filE]|^--(?:f|i|l|e|d|p)/.test(word.text))) return false;
  const codes = findInterpreter(command)?.codes ?? [];
  return (
    codes.length > 0 &&
    codes.every((word) => {
      if (word.kind !== "literal") return false;
      // The whole text, strings too: a quote in a pattern must not hide a call.
      if (/system|getline|@|close|(?<!\|)\|(?!\|)/.test(word.text)) return false;
      return !word.text.split(/[;{}\n]/).some((statement) => statement.includes("print") && statement.includes(">"));
    })
  );
}
