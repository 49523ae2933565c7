import type { TracedCall } from "./check-evidence.ts";
import { commandShape } from "./command-claims.ts";
import type { Claim, ClaimKind, Verdict } from "./evidence.ts";
import type { Statement } from "./parse-answer.ts";

/** Files that an answer says were changed, and files that it says it looked at or found something in. */
export function findPathClaims(
  statements: readonly Statement[],
  calls: readonly TracedCall[],
  changedFiles: readonly string[],
): Claim[] {
  const claims = statements.flatMap((statement) => {
    let role: ReturnType<typeof roleOf> = null;
    return findPaths(statement).flatMap((mention, index, all) => {
      const previous = all[index - 1];
      const isListed =
        previous !== undefined &&
        /^(?:\s|,|and|&|와|과|및|그리고)*$/.test(statement.masked.slice(previous.end, mention.start));
      if (!isListed || role === null) role = roleOf(mention, statement);
      if (role === "change") return [judgeChange(mention.path, calls, changedFiles)];
      return role === "look" ? [judgeLook(mention.path, calls)] : [];
    });
  });
  const changed = new Set(claims.flatMap(({ kind, text }) => (kind === "change" ? [text] : [])));
  return claims.filter(({ kind, text }) => kind === "change" || !changed.has(text));
}

const changeVerbs =
  "created|added|wrote|bumped|simplified|converted|adjusted|generated|edited|updated|changed|modified|fixed|refactored|rewrote|replaced|patched|deleted|removed|renamed|moved|implemented|extracted|pinned";
const lookVerbs =
  "read|looked|checked|opened|inspected|reviewed|examined|searched|found|scanned|saw|ran|executed|verified|confirmed|tested|kept|left|see|used";
const anyVerb = new RegExp(`\\b(?:${changeVerbs}|${lookVerbs})\\b`, "gi");
const isChangeVerb = new RegExp(`^(?:${changeVerbs})$`, "i");
const passive = new RegExp(
  `^[^.]{0,40}?\\b(?:was|were|has been|have been|is now|are now)\\s+(?:\\w+ly\\s+)?(?:${changeVerbs})\\b(?! (?:by|in (?:commit|version|#)))`,
  "i",
);
/** "I created", "- Created", "and created", "has been created"; not "the bug that was created by". */
const subject =
  /(?:^|\b(?:I|we)(?:'ve| have)?|[,:(–—]|\band|\bthen|\balso|\b(?:been|successfully|now|just|already|both|only))\s*\W*$/i;

function roleOf({ start, end, hasLine }: PathMention, { masked }: Statement): "change" | "look" | null {
  const before = masked.slice(0, start);
  const after = masked.slice(end);
  if (
    passive.test(after) ||
    /^[^.]{0,25}?(?:수정|생성|추가|삭제|변경|작성|제거|업데이트|만들)(?:했|하였|됐|되었|었)/.test(after)
  )
    return "change";
  const verb = [...before.matchAll(anyVerb)].at(-1);
  const word = /([\w-]+)\W*$/.exec(before)?.[1]?.toLowerCase() ?? "";
  if (verb && isChangeVerb.test(verb[0]) && subject.test(before.slice(0, verb.index))) {
    const isMove = /^(?:renamed|moved|removed|deleted|extracted)$/i.test(verb[0]);
    if (!aside.has(word) || (isMove && word === "from")) return "change";
    return null;
  }
  return hasLine || looks.test(before) || located.test(before) || locatedAfter.test(after) ? "look" : null;
}

/** Words that make the file a reason or a source of the change, not what was changed. */
const aside = new Set("for from with of like per by using against on via see as than match matching".split(" "));

const looks =
  /\b(?:I|we)\b[^.]*\b(?:read|looked (?:at|into|through)|checked|opened|inspected|reviewed|examined|searched|scanned|went through)\b|^(?:read|looked at|checked|inspected|reviewed|examined)\b/i;
const located =
  /\b(?:fix|bug|cause|problem|issue|culprit) (?:is|was|sits|lies)? ?in\s*$|\b(?:defined|located|lives?|found|registered|implemented|declared|exported|imported|stored|happens|handled|set)\s+(?:in|at|from)\s*$|\b(?:folder|directory|project|repository|repo)\s+(?:contains|has)\b/i;
const locatedAfter =
  /^(?:에|에서)?\s*(?:정의되어|정의돼|있습니다|위치)|^(?:을|를)?\s*(?:확인했|읽었|살펴봤|검토했)|^\s*(?:contains|defines|exports|declares)\b/;

function judgeLook(path: string, calls: readonly TracedCall[]): Claim {
  const claim = create("path", path);
  const read = calls.findLast((call) => call.path !== null && isSamePath(call.path, path) && call.hasRun);
  if (read) return claim("matched", read, "A call was about this file.");
  const named = calls.findLast(
    (call) => call.hasRun && (mentionsPath(call.output, path) || mentionsPath(call.input, path)),
  );
  if (named) return claim("matched", named, "A call named this file.");
  return claim("unmatched", null, "No call of this turn read, changed or named this file.");
}

function judgeChange(path: string, calls: readonly TracedCall[], changedFiles: readonly string[]): Claim {
  const claim = create("change", path);
  const changes = calls.filter((call) => call.isChange && call.path !== null && isSamePath(call.path, path));
  const done = changes.findLast(({ isOk }) => isOk);
  if (done) return claim("matched", done, "A call changed this file.");
  const failed = changes.at(-1);
  const shell = calls.filter(({ command, hasRun }) => command !== null && hasRun);
  const wrote = shell.findLast(({ command }) => mentionsPath(command!, path) && writes.test(command!));
  if (wrote) return claim(wrote.isOk ? "matched" : "partial", wrote, "A command changed this file.");
  if (changedFiles.some((each) => isSamePath(each, path)))
    return claim("matched", null, "The file changed in this turn.");
  if (failed) return claim("contradicted", failed, "The call that was to change this file did not succeed.");
  const folder = shell.findLast(
    ({ command }) =>
      path.includes("/") &&
      /\b(?:rm|mv|git (?:rm|mv|checkout|restore))\b/.test(command!) &&
      mentionsPath(command!, path.replace(/\/[^/]*$/, "")),
  );
  const named =
    folder ??
    shell.findLast((call) => writes.test(call.command!) && mentionsPath(call.output, path)) ??
    shell.findLast(({ command }) => mentionsPath(command!, path)) ??
    byOther(path, calls);
  if (named) return claim("partial", named, "A call named this file; whether it changed it can't be told.");
  if (/(?:^|\/)(?:package(?:-lock)?\.json|.*lock.*|Cargo\.toml|go\.(?:mod|sum)|pyproject\.toml)$/.test(path)) {
    const install = shell.findLast(({ command }) =>
      /\b(?:npm|pnpm|yarn|bun|cargo|go|uv|poetry)\s+(?:i|install|add|get|remove|uninstall|init|mod|update|version)\b/.test(
        command!,
      ),
    );
    if (install) return claim("partial", install, "A command that changes such files was run.");
  }
  return claim("unmatched", null, "No call of this turn changed this file.");
}

const writes =
  /(?:^|[^>&\d])>>?\s*[^&\s]|\b(?:sed\s+(?:-\w+\s+)*-i|tee|mv|cp|rm|touch|mkdir|ln|patch|truncate|unlink|rmdir|install|git\s+(?:mv|rm|apply|checkout|restore|stash|reset|merge|pull))\b|\bwrite(?:_text|File\w*)?\(|open\([^)]*["'][wax]/;

/** A tool that is not ours may do anything with a file it is told. */
function byOther(path: string, calls: readonly TracedCall[]): TracedCall | undefined {
  return calls.findLast(({ tool, input, isOk }) => isOk && !readers.has(tool) && mentionsPath(input, path));
}

const readers = new Set([
  "read",
  "grep",
  "glob",
  "list_files",
  "web_fetch",
  "web_search",
  "ask_user",
  "processes",
  "bash",
]);

function create(kind: ClaimKind, text: string): (verdict: Verdict, call: TracedCall | null, why: string) => Claim {
  return (verdict, call, why) => ({ kind, text, verdict, executionId: call?.id ?? null, why });
}

/** A path in a sentence. */
interface PathMention {
  /** Without the line it points to. */
  readonly path: string;
  readonly hasLine: boolean;
  readonly isCode: boolean;
  /** Where it stands in `Statement.masked`. */
  readonly start: number;
  readonly end: number;
}

const extensions =
  "ts|tsx|mts|cts|js|jsx|mjs|cjs|json|jsonc|json5|jsonl|md|mdx|txt|py|pyi|rb|go|rs|java|kt|kts|c|h|cc|cpp|hpp|cs|php|swift|sh|bash|zsh|ps1|sql|yml|yaml|toml|ini|cfg|conf|env|lock|xml|html|htm|css|scss|less|svg|vue|svelte|csv|tsv|log|db|sqlite|gradle|properties|proto|graphql|tf|dockerfile|ipynb|lua|ex|exs|r|dart|scala|zig|patch|diff|pdf|png";
const pathShape = new RegExp(
  `^(?:~?/|\\.{1,2}/)?(?:[\\p{L}\\p{N}_@.+()\\[\\]-]+/)*[\\p{L}\\p{N}_@.+-]*\\.(?:${extensions})$`,
  "iu",
);
const knownNames =
  /^(?:.*\/)?(?:Makefile|Dockerfile|Gemfile|Procfile|LICENSE|\.gitignore|\.env(?:\.\w+)?|\.editorconfig|\.npmrc)$/;

/** The files that a sentence names: in code, or as a word with a folder before it. */
export function findPaths({ masked, spans, text }: Statement): PathMention[] {
  const inCode = spans.flatMap(({ text: code, start, end }) => {
    const mention = toMention(code);
    return mention && commandShape(code) !== "sure" ? [{ ...mention, isCode: true, start, end }] : [];
  });
  const bare = [...masked.matchAll(/(?<![\w:/.@-])[\w.~-]*\/[\w./-]+\w|(?<=\]\()[^)\s]+(?=\))/g)].flatMap((found) => {
    const mention =
      /^(?:\w+:)?\/\//.test(found[0]) || text.includes(`://${found[0]}`) ? undefined : toMention(found[0]);
    return mention ? [{ ...mention, isCode: false, start: found.index, end: found.index + found[0].length }] : [];
  });
  return [...inCode, ...bare].sort((a, b) => a.start - b.start);
}

function toMention(text: string): Pick<PathMention, "path" | "hasLine"> | undefined {
  const [, path = "", line] = /^(.*?)(?:(?::|#L)(\d+)(?:[-:,–]\S*)?)?$/.exec(text) ?? [];
  if (path.length > 250 || /[\s*{}<>]/.test(path) || /^[a-z]+:\/\//i.test(path)) return undefined;
  return pathShape.test(path) || knownNames.test(path) ? { path, hasLine: line !== undefined } : undefined;
}

/** Whether two ways to write a path may mean one file: one is the end of the other. */
function isSamePath(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)];
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

function plain(path: string): string {
  return path.replace(/^(?:\.\/)+/, "").replaceAll("\\", "/");
}

/** Whether a text names the file, by the path or, where the claim has no folder, by its name. */
function mentionsPath(text: string, path: string): boolean {
  const wanted = plain(path);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!/[\w-]/.test(text[at - 1] ?? "") && !/[\w-]/.test(text[at + wanted.length] ?? "")) return true;
  }
  return false;
}
