import type { TracedCall } from "./check-evidence.ts";
import { commandShape } from "./command-claims.ts";
import type { Claim, Verdict } from "./evidence.ts";
import type { Fence, ParsedAnswer, Statement } from "./parse-answer.ts";
import { findPaths } from "./path-claims.ts";

const shortest = 12;

/** Text that an answer says was printed, found or written. */
export function findQuoteClaims({ statements, fences }: ParsedAnswer, calls: readonly TracedCall[]): Claim[] {
  // Where nothing was looked at, quotes are of the person's words or of general knowledge.
  const sources = calls
    .filter(({ hasRun }) => hasRun)
    .map((call) => ({ call, text: normalize(`${call.output}\n${call.input}`) }));
  if (sources.length === 0) return [];
  return [
    ...fences.flatMap((fence) => quoteOfFence(fence, sources)),
    ...statements.flatMap((statement) => quotesOf(statement).map((text) => judge([text], text, sources))),
  ];
}

interface Source {
  readonly call: TracedCall;
  readonly text: string;
}

const outputLead =
  /\b(?:outputs?|results?|print(?:s|ed)?|shows?|showed|says?|said|logs?|logged|returned|returns|errors?|fail(?:s|ed)|displays?|displayed|reports?|reported|response|ran|executed)\b|출력|결과|오류|에러|실행했/i;

function quoteOfFence({ language, text, lead, isStated }: Fence, sources: readonly Source[]): Claim[] {
  if (!isStated || !/^(?:text|txt|console|log|output|plaintext|shell-session|terminal)?$/.test(language)) return [];
  const lines = text.split("\n");
  const hasPrompt = lines.some((line) => /^\s*\$ \S/.test(line));
  if (lead === null ? !hasPrompt && language === "" : !outputLead.test(lead)) return [];
  const said = lines
    .filter((line) => !/^\s*\$ \S/.test(line))
    .map(normalize)
    .filter((line) => line !== "" && !/^(?:\.{3}|…|\[(?:\.{3}|…)\])$/.test(line));
  // "I ran:" and then only commands.
  if (said.length === 0 || (!hasPrompt && said.every((line) => commandShape(line) === "sure"))) return [];
  return [judge(said, said[0]!, sources)];
}

const cueBefore =
  /\b(?:print(?:s|ed)|says|said|report(?:s|ed)|return(?:s|ed)|output(?:s|ted)?|errors?|fail(?:s|ed|ing)? with|messages?|show(?:s|ed)|log(?:s|ged)|warn(?:s|ed|ing)|display(?:s|ed)|respond(?:s|ed) with|throw(?:s|ing)?|threw)\b[\s:(]*(?:the |an? |this )?(?:error |message |output )*[:\s]*$/i;
const cueAfter = /^\s*(?:라고|이라고|라는|이라는)?\s*(?:출력|오류|에러|메시지)/;

function quotesOf(statement: Statement): string[] {
  const { masked, text, spans } = statement;
  if (/\byou(?:'ve| have)? (?:said|asked|wrote|mentioned|told|wanted)\b/i.test(masked)) return [];
  const isQuoted = (start: number, end: number): boolean =>
    cueBefore.test(masked.slice(Math.max(0, start - 50), start)) || cueAfter.test(masked.slice(end, end + 20));
  const quoted = [...text.matchAll(/"([^"\n]{12,300})"|“([^”\n]{12,300})”/g)].flatMap((found) =>
    isQuoted(found.index, found.index + found[0].length) ? [found[1] ?? found[2]!] : [],
  );
  const paths = new Set(findPaths(statement).map(({ start }) => start));
  const coded = spans.flatMap((span) =>
    span.text.length >= shortest &&
    /\s/.test(span.text) &&
    commandShape(span.text) === "no" &&
    !paths.has(span.start) &&
    isQuoted(span.start, span.end)
      ? [span.text]
      : [],
  );
  return [...quoted, ...coded].map((each) => each.replaceAll("`", ""));
}

function judge(lines: readonly string[], shown: string, sources: readonly Source[]): Claim {
  const claim = (verdict: Verdict, source: Source | undefined, why: string): Claim => ({
    kind: "quote",
    text: shown.length > 80 ? `${shown.slice(0, 80)}…` : shown,
    verdict,
    executionId: source?.call.id ?? null,
    why,
  });
  const scored = sources.map((source) => ({
    source,
    share: lines.filter((line) => isIn(line, source.text)).length / lines.length,
  }));
  const best = scored.findLast(({ share }) => share === Math.max(...scored.map((each) => each.share)));
  if (best?.share === 1) return claim("matched", best.source, "A call has this text.");
  const anywhere = lines.filter((line) => sources.some(({ text }) => isIn(line, text))).length / lines.length;
  if (anywhere === 1) return claim("matched", best?.source, "The calls of this turn have these lines.");
  if (anywhere >= 0.7) return claim("partial", best?.source, "Most of its lines are in the calls of this turn.");
  return claim("unmatched", undefined, "No call of this turn has this text.");
}

/** An ellipsis stands for anything between what is before and after it. */
function isIn(line: string, text: string): boolean {
  let from = 0;
  for (const piece of normalize(line).split(/\s*(?:…|\.{3}|\[\.{3}\])\s*/)) {
    const at = piece === "" ? from : text.indexOf(piece.replace(/[.,;:]$/, ""), from);
    if (at < 0) return false;
    from = at;
  }
  return true;
}

function normalize(text: string): string {
  return text.replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, '"').replaceAll(/\s+/g, " ").trim();
}
