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
