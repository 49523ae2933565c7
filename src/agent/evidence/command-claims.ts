import type { TracedCall } from "./check-evidence.ts";
import type { Claim, Verdict } from "./evidence.ts";
import type { Fence, ParsedAnswer, Statement } from "./parse-answer.ts";

/** Commands that an answer says were run. */
export function findCommandClaims({ statements, fences }: ParsedAnswer, calls: readonly TracedCall[]): Claim[] {
  return [
    ...statements.flatMap((statement) => claimsOf(statement, calls)),
    ...fences.flatMap((fence) => claimsOfFence(fence, calls)),
  ];
}

function claimsOf(statement: Statement, calls: readonly TracedCall[]): Claim[] {
  return statement.spans.flatMap((span) => {
    const shape = commandShape(span.text);
    const before = statement.masked.slice(0, span.start);
    const after = statement.masked.slice(span.end);
    const isSaid =
      /\b(?:ran|re-?ran|executed|have run|was run|were run)\b|실행(?:했|하였|한 결과|해\s?본|하니|하여|됐|되었)/i.test(
        statement.masked,
      );
    if (shape === "no" || (shape === "maybe" && !isNamedAsRun(before, after))) return [];
    const hasResult = result.test(after.slice(0, 60)) || /[✅❌✓✔]/u.test(statement.masked);
    const isStrong =
      isSaid ||
      hasResult ||
      /\b(?:I|we) (?:used|tried)\s*$|\b(?:committed|pushed|installed|built|tested|verified|checked|formatted|linted|deployed|migrated)\b[^.]{0,30}\($|(?<!\b(?:is|are|be|gets?|being) (?:\w+ )?)\b(?:committed|pushed|deployed|migrated|published|released|installed)\b[^.,;]{0,40}\b(?:with|via|using|by running)\s*$|(?:verified|confirmed|checked|tested) (?:it |this |that |them )?(?:with|via|by running|using)\s*$/i.test(
        before,
      );
    const isMentioned = /\brunning\s*$|\b(?:via|with|using|after)\s*$/i.test(before);
    if (!isStrong && !isMentioned) return [];
    const claim = toClaim(span.text, calls, { saysSuccess: saysSuccess(statement, after) });
    return isStrong || claim.verdict === "matched" || claim.verdict === "partial" ? [claim] : [];
  });
}

function isNamedAsRun(before: string, after: string): boolean {
  return (
    /\b(?:ran|re-?ran|executed|running)\s*$/i.test(before) || /^\s*(?:을|를)?\s*실행(?:했|하였|한 결과)/.test(after)
  );
}

const result =
  /^[\s:,→>|(–—-]*(?:now |still |then |also |all )*(?:pass(?:es|ed)|succeed(?:s|ed)|failed|exited|finished|completed|printed|reported|returned|showed|(?:reports?|prints|shows|gives|finds) \d+ |\d+ (?:tests? )?(?:pass|fail)|ok\b|(?:is )?(?:green|clean)\b|with exit code|finishes with exit)|^(?:이|가|은|는|도)?\s*(?:통과|성공|실패)/i;

function saysSuccess({ masked }: Statement, after: string): boolean {
  return (
    /^[\s:,→|(–—-]*(?:now |still |also )*(?:pass(?:es|ed)|succeed(?:s|ed)|is (?:green|clean)|ok\b)|✅|^(?:이|가|은|는)?\s*(?:통과|성공)/iu.test(
      after,
    ) && !/\bfail|❌|실패/i.test(masked)
  );
}

/** `$ command` and what came of it, or a block of commands after "I ran:". */
function claimsOfFence({ language, text, lead, isStated }: Fence, calls: readonly TracedCall[]): Claim[] {
  if (!isStated) return [];
  const lines = text.split("\n");
  const prompted = lines.filter((line) => /^\s*\$ \S/.test(line));
  const isShell = /^(?:bash|sh|shell|zsh|console)?$/.test(language);
  const isRan = lead !== null && /\b(?:ran|executed)\b|실행(?:했|한 )/i.test(lead);
  const commands =
    prompted.length > 0 ? prompted : isShell && isRan ? lines.filter((line) => commandShape(line) === "sure") : [];
  const claims = commands.map((line) => toClaim(line.trim().replace(/^\$ /, ""), calls, { saysSuccess: false }));
  return isRan || lead === null ? claims.filter(({ verdict }) => isRan || verdict === "matched") : claims;
}

function toClaim(
  text: string,
  calls: readonly TracedCall[],
  { saysSuccess: isSuccess }: { readonly saysSuccess: boolean },
): Claim {
  const found = findCommand(text, calls);
  const claim = (verdict: Verdict, call: TracedCall | null, why: string): Claim => ({
    kind: "command",
    text: text.replace(/^\$\s+/, ""),
    verdict,
    executionId: call?.id ?? null,
    why,
  });
  if (!found) return claim("unmatched", null, "No call of this turn ran it.");
  const { call, isWhole, isDoubtful } = found;
  if (!call.hasRun) return claim("contradicted", call, "The call was not let through: it never ran.");
  if (isSuccess && !call.isOk) return claim("contradicted", call, "Its last run failed.");
  if (isWhole) return claim("matched", call, "A call ran it.");
  if (isDoubtful) return claim("partial", call, "It stands behind && or || in a call, and may not have been reached.");
  return claim("partial", call, "A call ran it with other arguments, or another tool did the same.");
}

/** The last call that ran this command; one that ran comes before one that was refused, a whole match before a part. */
export function findCommand(
  text: string,
  calls: readonly TracedCall[],
): { readonly call: TracedCall; readonly isWhole: boolean; readonly isDoubtful: boolean } | undefined {
  const wanted = normalizeCommand(text).replace(/\s*(?:…|\.\.\.)$/, "");
  const isCut = wanted !== normalizeCommand(text);
  const fits = calls.flatMap((call) => {
    const fit = fitOf(wanted, isCut, call);
    return fit === 0 ? [] : [{ call, fit, rank: fit * 4 + (call.hasRun ? 1 : 0) }];
  });
  const best = Math.max(0, ...fits.map(({ rank }) => rank));
  const found = fits.findLast(({ rank }) => rank === best);
  return found && { call: found.call, isWhole: found.fit === 2, isDoubtful: found.fit === 1.5 };
}

/** 2: the command itself; 1.5: the same, if it was reached; 1: with other arguments, or as another tool; 0: not. */
function fitOf(wanted: string, isCut: boolean, call: TracedCall): 0 | 1 | 1.5 | 2 {
  if (call.command === null) return fitTool(wanted, call);
  const all = partsOfCommand(call.command);
  const parts = all.filter((part) => !mayBeUnreached(part, call)).map(({ text }) => text);
  const whole = fitParts(wanted, isCut, parts);
  if (whole === 2) return 2;
  const doubtful = all.filter((part) => mayBeUnreached(part, call)).map(({ text }) => text);
  const fit = fitParts(wanted, isCut, doubtful);
  return fit === 2 ? 1.5 : whole === 1 || fit === 1 ? 1 : 0;
}

/** What is behind `&&` ran for sure when all went well; what is behind `||` mostly did not. */
function mayBeUnreached({ isConditional }: CommandPart, { isOk, command }: TracedCall): boolean {
  return isConditional && (!isOk || command!.includes("||"));
}

function fitParts(wanted: string, isCut: boolean, parts: readonly string[]): 0 | 1 | 2 {
  if (parts.some((part) => part === wanted || (isCut && part.startsWith(wanted)))) return 2;
  const bare = (part: string): string =>
    part.replace(/\s+(?:2>&1|[12]?>\s*\S+|\|.*)/g, "").replace(/^(?:[A-Z_]\w*=\S* )+|^(?:npx|time|sudo) /, "");
  if (parts.some((part) => bare(part) === bare(wanted))) return 2;
  return parts.some((part) => bare(part).startsWith(`${bare(wanted)} `) || isSubset(bare(wanted), bare(part))) ? 1 : 0;
}

/** The same program, and all the words of the claim are among those of the call. */
function isSubset(wanted: string, part: string): boolean {
  const [program, ...words] = wanted.split(" ");
  const [other, ...all] = part.split(" ");
  return program === other && words.length > 0 && words.every((word) => all.includes(word));
}

const tools: Readonly<Record<string, readonly string[]>> = {
  grep: ["grep", "rg"],
  read: ["cat", "head", "tail", "less", "sed"],
  list_files: ["ls", "find", "tree"],
  glob: ["find", "ls"],
};

function fitTool(wanted: string, { tool, input }: TracedCall): 0 | 1 {
  const [program = "", ...words] = wanted.split(" ");
  if (!tools[tool]?.includes(program)) return 0;
  const said = words.filter((word) => !word.startsWith("-"));
  return said.length === 0 || said.some((word) => input.includes(word)) ? 1 : 0;
}

const programs = new Set(
  `npm npx pnpm yarn node bun deno tsc tsx git gh python python3 pip pip3 uv poetry pytest tox ruff mypy black cargo rustc go gofmt make cmake
  ctest docker podman kubectl helm terraform curl wget ls cat grep rg find sed awk rm mv cp mkdir touch chmod chown ln bash sh zsh eslint
  oxlint prettier jest vitest mocha ava playwright cypress java javac mvn gradle ruby bundle rake rspec php composer phpunit dotnet swift
  gcc g++ clang psql sqlite3 mysql redis-cli jq ssh scp rsync tar unzip zip echo head tail wc diff sort which env ps kill sudo systemctl brew
  apt apt-get deckhand alembic flask django-admin rails mix elixir`.split(/\s+/),
);

/** `sure`: it can be nothing else; `maybe`: it could be code as well; `no`: it is none. */
export function commandShape(text: string): "sure" | "maybe" | "no" {
  const plain = text.replace(/^\$\s+/, "").trim();
  if (plain === "" || plain.length > 400 || plain.includes("\n")) return "no";
  const [first = "", ...others] = plain.replace(/^(?:[A-Z_][A-Z0-9_]*=\S*\s+)+/, "").split(/\s+/);
  if (programs.has(first)) return others.length > 0 || runners.has(first) ? "sure" : "maybe";
  if (/^(?:\.{1,2}\/|\/)[\w./-]+$/.test(first)) return others.length > 0 || first.endsWith(".sh") ? "sure" : "no";
  if (/^[\w.-]+\/[\w./-]+$/.test(first)) return others.length > 0 ? "maybe" : "no";
  return others.length > 0 && /^[a-z][\w.-]*$/.test(first) && /(?:^|\s)--?[a-z]/.test(plain) ? "maybe" : "no";
}

const runners = new Set("pytest make tsc jest vitest mocha tox rspec ctest phpunit eslint oxlint ruff mypy".split(" "));

/** Without what two people write differently: quotes, spaces, the `$` of a prompt. */
export function normalizeCommand(text: string): string {
  return text
    .replace(/^\s*\$\s+/, "")
    .replaceAll(/["'\\]/g, "")
    .replaceAll(/\s+/g, " ")
    .replace(/^(npm|pnpm|bun) (?:i|add) /, "$1 install ")
    .replace(/^npm (?:t|run test)\b/, "npm test")
    .replace(/[\s;]+$/, "")
    .trim();
}

interface CommandPart {
  readonly text: string;
  /** It stands behind `&&` or `||`: whether it ran depends on what is before it. */
  readonly isConditional: boolean;
}

/** The commands that a line of the shell is made of, itself first when it is more than one. */
function partsOfCommand(command: string): CommandPart[] {
  const whole = { text: normalizeCommand(command), isConditional: false };
  const parts = splitCommand(command)
    .map(({ from, to, isConditional }) => ({ text: normalizeCommand(command.slice(from, to)), isConditional }))
    .filter(({ text }) => text !== "" && text !== whole.text);
  return [whole, ...parts];
}

const printers = new Set(
  "echo printf cat head tail less more grep rg sed awk cut sort uniq tee cd ls true false : export set sleep wc tr jq".split(
    " ",
  ),
);

/** The commands of the line that do more than print or look for text. */
export function workingParts(command: string): string[] {
  const [whole, ...parts] = partsOfCommand(command).map(({ text }) => text);
  return (parts.length === 0 ? [whole!] : parts).filter((part) => !printers.has(part.split(" ", 1)[0]!));
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly isConditional: boolean;
}

/** Where the parts are: operators inside quotes separate nothing. */
function splitCommand(command: string): Piece[] {
  const masked = command.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) => "x".repeat(quoted.length));
  const parts: Piece[] = [];
  let from = 0;
  let isConditional = false;
  for (const { index, 0: operator } of masked.matchAll(/&&|\|\||[;|\n]|(?<!>)&(?![>&])/g)) {
    parts.push({ from, to: index, isConditional });
    from = index + operator.length;
    // A pipe, and what it leads to, is of one condition.
    if (operator !== "|") isConditional = operator === "&&" || operator === "||";
  }
  return [...parts, { from, to: command.length, isConditional }];
}
