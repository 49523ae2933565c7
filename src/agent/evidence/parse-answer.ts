export interface CodeSpan {
  readonly text: string;
  /** Where it begins and ends in `Statement.masked`. */
  readonly start: number;
  readonly end: number;
}

/** One sentence that says that something was done or is so. */
export interface Statement {
  readonly text: string;
  /** The same, each character of code in it made a `\u0001`: words in code are not the answer's own. */
  readonly masked: string;
  readonly spans: readonly CodeSpan[];
}

export interface Fence {
  /** Lower case; empty when it names none. */
  readonly language: string;
  readonly text: string;
  /** The sentence right before it; null when there is none. */
  readonly lead: string | null;
  /** What it shows is said to be so, not proposed. */
  readonly isStated: boolean;
}

export interface ParsedAnswer {
  readonly statements: readonly Statement[];
  readonly fences: readonly Fence[];
}

const longestLine = 5000;

/** Takes an answer apart into what it says was done or is so. Questions, advice and plans are left out. */
export function parseAnswer(answer: string): ParsedAnswer {
  const statements: Statement[] = [];
  const fences: Fence[] = [];
  let isAdviceSection = false;
  let isAdviceList = false;
  let lead: string | null = null;
  const lines = answer.replaceAll("\r\n", "\n").split("\n");
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    const opening = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/.exec(line);
    if (opening) {
      const body: string[] = [];
      while (++index < lines.length && !lines[index]!.trimStart().startsWith(opening[1]!)) body.push(lines[index]!);
      const isStated = !isAdviceSection && !isAdviceList && (lead === null || !opensAdvice(lead));
      fences.push({ language: opening[2]!.toLowerCase(), text: body.join("\n"), lead, isStated });
      lead = null;
      continue;
    }
    const heading = /^\s{0,3}#{1,6}\s+(.*)$/.exec(line) ?? /^\s*\*\*([^*]+)\*\*:?\s*$/.exec(line);
    if (heading) {
      isAdviceSection = opensAdvice(heading[1]!) && !/^\s*(?:summary|what (?:I|was)|changes?)/i.test(heading[1]!);
      isAdviceList = false;
      lead = heading[1]!;
      continue;
    }
    // Longer lines are data, and searching them would take its time.
    if (line.trim() === "" || line.length > longestLine) continue;
    const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line);
    if (!item) isAdviceList = false;
    const text = (item?.[1] ?? line.replace(/^[\s>|]+/, "")).replace(/^\[x\]\s+/i, "");
    const isOpen = text.startsWith("[ ]");
    const sentences = splitSentences(text);
    for (const sentence of sentences) {
      if (!isAdviceSection && !isAdviceList && !isOpen && isStatement(sentence.masked)) statements.push(sentence);
    }
    lead = sentences.at(-1)?.masked.replaceAll("\u0001", "") ?? null;
    if (!item && /[:：]\s*$/.test(text)) isAdviceList = opensAdvice(lead ?? "");
  }
  return { statements, fences };
}

function splitSentences(text: string): Statement[] {
  const spans = [...text.matchAll(/(`+)(.+?)\1(?!`)/g)].map((found) => ({
    text: found[2]!.trim(),
    start: found.index,
    end: found.index + found[0].length,
  }));
  let masked = text;
  for (const { start, end } of spans) {
    masked = masked.slice(0, start) + "\u0001".repeat(end - start) + masked.slice(end);
  }
  const pieces: Statement[] = [];
  let from = 0;
  const ends = [
    ...masked.matchAll(
      /(?<=[.!?。])["'”’)]*\s+|;\s+|,?\s+(?=(?:but|although|however|whereas)\b)|:\s+(?=[^.]*(?:\bnot\b|n't\b|\bnever\b|\bno\b))/g,
    ),
  ];
  for (const end of [...ends.map(({ index, 0: gap }) => [index, index + gap.length]), [text.length, text.length]]) {
    const [to = 0, next = 0] = end;
    const inside = spans.filter(({ start }) => start >= from && start < to);
    if (to > from) {
      pieces.push({
        text: text.slice(from, to),
        masked: masked.slice(from, to),
        spans: inside.map((span) => ({ text: span.text, start: span.start - from, end: span.end - from })),
      });
    }
    from = next;
  }
  return pieces;
}

/** What somebody else may do, what is yet to be done, what was not done, what is asked: none of it says that something was. */
const advice = [
  /\byou(?:'ll|'d)?\s+(?:can|could|may|might|should|need|will|want|must|have to|would|first|just)\b|\byou'll\b/i,
  /\b(?:please|consider|recommend(?:ed)?|suggest(?:ed|ion)?s?|should|could|would|might|feel free|make sure|let me know|for example|e\.g\.|such as|expected to|typically|usually|normally|optionally)\b/i,
  /\b(?:will|won't|going to|plan to|about to|next(?:,| I| we)|I'll|we'll|I can|we can|can be|let me|let's|to do|todo|needs? to|has to|have to|want to|wants? me to)\b/i,
  /\b(?:if|unless|whenever|in case|as soon as|once you|when you|before you|after you|so that you)\b/i,
  /^(?:then |next,? |now |finally,? |also |and |simply |just |first,? )*(?:run|execute|try|use|install|add|create|start|open|check|set|see|ensure|verify|edit|update|delete|remove|replace|put|copy|paste|build|call|change|configure|restart|go|look|write|rename|move|commit|push|publish|test)\b(?!:| (?:results?|suites?|pass\w*|outputs?|status|succe\w+|fail\w*|runs?|files?|is|was|log)\b)/i,
  /^(?:to|for|in order to)\s+[\w-]+/i,
  /(?:하세요|해\s?보세요|보세요|하시면|하십시오|할 수 있|하면 (?:됩니다|돼요)|권장|추천|예정|하겠습니다|할게요|하려면|려면|필요합니다|해야|할까요|주세요|바랍니다|하시기|좋습니다)/,
];

const denial =
  /\b(?:did not|didn't|have not|haven't|has not|hasn't|had not|could not|couldn't|cannot|can't|was not|wasn't|were not|weren't|is not|isn't|are not|aren't|do not|don't|does not|doesn't|not yet|never|without (?:running|executing|testing|checking|changing|touching)|unable to|(?:I|we) skipped|instead of|rather than|refused|denied|rejected|blocked|no longer|there is no|there are no|yet to)\b|(?:않았|못했|못 했|없습니다|없었|거부|안 했)/i;

const done =
  /\b(?:I|we)(?:'ve| have)?\s+(?:(?:also|then|just|already|now|first|successfully|again|finally)\s+)*(?:ran|run|re-?ran|executed|used|created|added|wrote|edited|updated|changed|modified|fixed|deleted|removed|renamed|moved|read|checked|looked|verified|confirmed|tested)\b|실행했|수정했|생성했|추가했|삭제했|확인했/i;

/** Words about another time than this turn. */
const earlier = /\b(?:previously|earlier|last time|in the past|already existed|originally|used to)\b|이전에|예전에/i;

/** Whether a sentence says that something was done or is so. `text`: with its code left out. */
function isStatement(text: string): boolean {
  // Words of others are none of the answer's own.
  const plain = text.replaceAll(/"[^"\n]*"|“[^”\n]*”/g, '""').trim();
  if (/\?["'’”)]*$/.test(plain) || denial.test(withoutConclusion(plain)) || earlier.test(plain)) return false;
  const withoutPurpose = plain.replace(/^(?:to|in order to)\b[^,]*,\s*(?=(?:I|we)\b)/i, "");
  if (!advice.some((pattern) => pattern.test(withoutPurpose))) return true;
  // "I ran it again to see if it fails" has a condition in it and is none.
  return (
    done.test(withoutPurpose) &&
    !/\b(?:will|would|you (?:can|could|should|may)|I'll|we'll)\b|(?:하세요|려면)/i.test(withoutPurpose)
  );
}

/** "The log shows X, so Y is not running": what is denied is concluded from what was seen. */
function withoutConclusion(text: string): string {
  return text.replace(/,\s*so\b[^.;]*[.;]?$/i, "");
}

/** Headings and lines before a list or a block that make all of it advice. */
function opensAdvice(text: string): boolean {
  return (
    /\b(?:next steps?|how to|usage|suggest\w*|recommend\w*|to ?dos?|instructions?|getting started|follow[- ]?ups?|try it|examples?|options?|alternatives?|would look|looks? like this)\b|다음 단계|사용법|제안|실행 방법|예시|예를 들어/i.test(
      text,
    ) || !isStatement(text.replace(/:\s*$/, ""))
  );
}
