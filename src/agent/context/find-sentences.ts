import { clipText } from "../../core/cut-text.ts";

/** Demands of the person: what must, must not, or shall always be so. English and Korean. */
export function findConstraints(text: string): readonly string[] {
  return sentencesOf(text)
    .filter((sentence) => constraint.test(sentence) || koreanConstraint.test(sentence))
    .slice(0, mostOfOneMessage);
}

/** What the model says it settled. */
export function findDecisions(text: string): readonly string[] {
  return sentencesOf(text)
    .filter((sentence) => decision.test(sentence) || koreanDecision.test(sentence))
    .map((sentence) => clipText(sentence, maxSentence))
    .slice(0, mostOfOneMessage);
}

/** Questions, and lines of a list of things to do that are not ticked. */
export function findOpen(text: string): readonly string[] {
  const todo = linesOf(text).flatMap((line) => toDo.exec(line)?.[1]?.trim() ?? []);
  const questions = sentencesOf(text).filter((sentence) => /[?？]$/.test(sentence) && sentence.length > 8);
  return [...todo, ...questions].map((found) => clipText(found, maxSentence)).slice(0, mostOfOneMessage);
}

/** The ticked lines of a list. */
export function findDone(text: string): readonly string[] {
  return linesOf(text).flatMap((line) => {
    const done = doneLine.exec(line)?.[1];
    return done === undefined ? [] : [clipText(done.trim(), maxSentence)];
  });
}

/** Does a later message ask for something new, and not just answer, agree or add to what is under way? */
export function startsTask(text: string): boolean {
  const first = text.trimStart().slice(0, 200);
  return newTask.test(first) || taskVerb.test(first) || koreanTask.test(text.trimEnd().split("\n", 1)[0] ?? "");
}

/** So that one message that demands on every line (a pasted guideline) can't fill the pins, which never yield. */
const mostOfOneMessage = 20;
const maxSentence = 300;
/** What stands further inside a message was pasted, not written. */
const readFromStart = 6_000;
const readFromEnd = 2_000;

const constraint =
  /\b(?:must|mustn['’]t|never|always|do not|don['’]t|does not need|only|keep|no longer|use|avoid|without|except|required?|ensure|make sure|instead of|prefer|at most|at least|not allowed|forbidden|leave)\b/i;
const koreanConstraint =
  /반드시|절대|하지\s?(?:마|말)|지\s?(?:마|말)(?:세요|라|고|아|$|[.!])|항상|꼭|금지|유지|만 (?:사용|써|쓰)|안 (?:돼|된다|됩니다)/;
const decision =
  /\b(?:decided|decision|we(?:'ll| will| should)? (?:use|go with)|I(?:'ll| will) (?:use|go with|keep)|(?:chose|chosen|choosing|settled on|agreed|opted)|going with|instead of|root cause|the (?:cause|reason) (?:is|was))\b/i;
const koreanDecision = /하기로 (?:했|결정)|결정했|선택했|원인은/;
const toDo =
  /^\s*(?:[-*]\s*\[ \]|(?:[-*]\s*)?(?:TODO|FIXME|Next|Remaining|Open|Still to do|할 일|남은 일)\s*:)\s*(\S.*)$/i;
const doneLine = /^\s*[-*]\s*\[[xX]\]\s*(\S.*)$/;
const newTask =
  /^(?:ok(?:ay)?[,.! ]+|great[,.! ]+|thanks?[,.! ]+|good[,.! ]+)?(?:now|next|then|new task|another|instead|also|please|let['’]s|can you|could you|i (?:want|need)|we need|your task)\b/i;
const taskVerb =
  /^(?:add|build|change|check|clean|convert|create|debug|delete|deploy|document|explain|extend|find|fix|generate|implement|improve|install|investigate|list|make|merge|migrate|move|optimi[sz]e|port|refactor|release|remove|rename|replace|review|rewrite|run|search|set up|show|split|test|translate|update|upgrade|write)\b/i;
const koreanTask = /(?:줘|주세요|주십시오|하자|합시다|해라|하세요|해요|해)[.!~]*$/;

function sentencesOf(text: string): string[] {
  return linesOf(text).flatMap((line) =>
    line
      .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "")
      .split(/(?<=[.!?。！？])\s+(?=\S)|(?<=[。！？])/)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence !== ""),
  );
}

/** Without code and quotations: those are not what anyone demands or decides. */
function linesOf(text: string): string[] {
  const written =
    text.length <= readFromStart + readFromEnd ? text : `${text.slice(0, readFromStart)}\n${text.slice(-readFromEnd)}`;
  let isCode = false;
  return written.split("\n").filter((line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return !isFence && !isCode && !/^\s*>/.test(line) && line.trim() !== "";
  });
}
