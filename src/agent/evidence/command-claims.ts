import { commandShape, normalizeCommand, partsOfCommand, type CommandPart } from "./command-text.ts";
import type { Claim, Verdict } from "./evidence.ts";
import type { Fence, ParsedAnswer, Statement } from "./parse-answer.ts";
import type { TracedCall } from "./trace.ts";

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
