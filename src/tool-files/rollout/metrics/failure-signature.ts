import { createHash } from "node:crypto";
import { clipText } from "../../../core/text.ts";

/** A failure may bring megabytes; its cause is told at the beginning. */
const longestRead = 20_000;
const longestCompared = 300;
const longestHead = 80;

/** The same for failures with the same cause, as far as their texts tell: sixteen hexadecimal digits, and what a person can read. */
export function signFailure(failure: { readonly error: string | null; readonly errorType: string | null }): string {
  const type = failure.errorType ?? "";
  const text = clipText(normalizeFailure(dropStack(clipText(failure.error ?? "", longestRead))), longestCompared);
  const hash = createHash("sha256").update(`${type}\n${text}`).digest("hex").slice(0, 16);
  return `${hash} ${clipText(text, longestHead).trimEnd() || type || "no text"}`;
}

/** Leaves out where a failure came through: the same cause is reached on many ways. What was thrown stays. */
export function dropStack(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.length === 1) return text;
  const kept: string[] = [];
  let isBelowFrame = false;
  for (const line of lines) {
    if (pythonFrame.test(line)) {
      isBelowFrame = true;
    } else if (isBelowFrame && /^\s{4,}\S/.test(line)) {
      // The source line of the frame, and the marks under it.
    } else if (marks.test(line)) {
      // Node shows the place, the source line and the marks, in this order.
      if (/:\d+$/.test(kept.at(-2) ?? "")) kept.splice(-2);
    } else {
      isBelowFrame = false;
      if (!noise.some((pattern) => pattern.test(line))) kept.push(line);
    }
  }
  // Nothing but a stack is better than nothing.
  return kept.some((line) => line.trim() !== "") ? kept.join("\n") : text;
}

const pythonFrame = /^\s*File ".*", line \d+/;
const marks = /^\s*[\^~][\^~\s]*$/;

const noise: readonly RegExp[] = [
  /^\s*at \S.*(?:[:(]\d+[:)]|\)|<anonymous>|:\d+)\s*$/, // JavaScript, Java
  /^\s+at (?:async |new )?[\w$.<>[\] ]+$/,
  /^\s*\.{3} \d+ (?:more|lines matching)\b/,
  /^\s*from \S+:\d+:in /, // Ruby
  /^goroutine \d+ \[/,
  /^\t\S+\.go:\d+/,
  /^\s*\d+: +(?:0x[\da-f]+ - )?\S+::/, // Rust
  /^stack backtrace:$/,
  /^note: run with `RUST_BACKTRACE/,
  /^Traceback \(most recent call last\):$/,
  /^\s*\[Previous line repeated \d+ more times?\]$/,
  /^Node\.js v\d/,
];

/**
 * The text of a failure without what differs from one time to the next: paths, numbers, ids, times, quoted values. What tells
 * the cause stays, also where it is a number (a status, an exit code) or quoted (a missing module, an error code in JSON).
 * Each pattern takes time in proportion to the text: it may be anything.
 */
export function normalizeFailure(text: string): string {
  const replaced = rules.reduce((current, [pattern, replacement]) => current.replace(pattern, replacement), text);
  return replaced.replace(/\s+/g, " ").replace(repeated, "$1").trim();
}

const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}";
const clock = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AP]M\b)?`;
const zone = String.raw`(?: ?(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})\b)?`;

const extensions =
  "txt|md|csv|tsv|json|jsonl|ya?ml|toml|ini|xml|html?|pdf|png|jpe?g|gif|svg|log|lock|zip|tar|gz|db|sqlite|tmp|[cm]?[jt]sx?|py|rb|go|rs|java|sh|sql|css|docx?|xlsx?|pptx?";
/** What stands before the name of a part of a program: it is the cause, not a value. */
const announced = String.raw`reading|setting|attribute|module|module named|package|NameError: name|argument|import name|column|table`;
const codeWords = String.raw`status|code|errno|winerror|sqlstate|exit|exited with|signal|http(?:\/[\d.]{1,3})?`;

const rules: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // oxlint-disable-next-line no-control-regex
  [/\x1b\[[\d;]*[A-Za-z]/g, ""],
  // The body of an answer: what its error is called tells the cause.
  [
    /["'](error|code|type|status|reason|message|msg|title|detail|error_description)["']\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)')/gi,
    "$1: $2$3",
  ],
  [/(?<=[{,]\s{0,20})["'](\w{1,40})["'](?=\s{0,20}:)/g, "$1"],
  [/\b(https?|wss?):\/\/(?:[^\s/'"@]*@)?([\w.-]+)(?::\d+)?(?:[/?#][^\s'"`<>)\]}]*)?/gi, "<$1 $2>"],
  [new RegExp(String.raw`\b\d{4}-\d{2}-\d{2}(?:[T ]${clock}${zone})?`, "g"), "<time>"],
  [
    new RegExp(
      String.raw`(?:\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?\b(?:\d{1,2} ${month}|${month} \d{1,2})\b,?(?: \d{4}\b)?(?: ${clock}${zone})?(?: \d{4}\b)?`,
      "g",
    ),
    "<time>",
  ],
  [new RegExp(String.raw`\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?[AP]M\b)?${zone}`, "g"), "<time>"],
  [/'(\d{3} [A-Z][A-Za-z ]{1,40})'/g, "$1"],
  [new RegExp(String.raw`\b(${announced}) ['"\x60]([A-Za-z_$@][\w$./@-]{0,80})['"\x60]`, "g"), "$1 $2"],
  [/(?<!\w)(?:'[^'\n]*'|‘[^‘’\n]*’)(?!\w)|"[^"\n]*"|“[^“”\n]*”|`[^`\n]*`/g, "<value>"],
  [/(?<![\w<])(?:[A-Za-z]:\\|\\\\)[^\s'"`,;:()<>[\]{}|]+/g, "<path>"],
  [/(?<![\w<])(?:~|\.{1,2})?\/[^\s'"`,;:()<>[\]{}|/][^\s'"`,;:()<>[\]{}|]*/g, "<path>"],
  [
    new RegExp(String.raw`(?<![\w.@/-])(?!Node\.js\b)[\w.@-]+(?:\/[\w.@-]+)*\.(?:${extensions})\b(?!\.\w)`, "g"),
    "<path>",
  ],
  [/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, "<id>"],
  [/(?:(?<![\w)])-)?(?<![\w.])\d+(?:\.\d+)?e[+-]\d+\b/gi, "<n>"],
  [/\b0x[\da-f]+\b/gi, "<id>"],
  [/\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,}\b/gi, "<id>"],
  [/(?<![\w-])(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[\w-]{16,}/g, "<id>"],
  [/\btmp[\w-]{6,}/g, "<id>"],
  [/(?<![\w:>])(?:[\da-f]{0,4}:){2,7}[\da-f]{1,4}(?![\w:])/gi, "<n>"],
  [
    new RegExp(
      String.raw`(?<!\b(?:${codeWords})[\s:=#(]{1,3}-?)(?<!\berror )(?<!\b(?:responded with|response:?) (?=[45]\d\d\b))(?<![A-Za-z\d])(?:(?<![\w)])-)?\d+(?:[.,:]\d+)*(?:e[+-]?\d+)?[A-Za-z\d]*%?`,
      "gi",
    ),
    "<n>",
  ],
];

/** Lists differ in length, and times in their units. */
const repeated = /(<(?:n|id|path|value|time)>)(?:[,\s]{1,3}\1)+/g;
