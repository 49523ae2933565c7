import type { Statement } from "./parse-answer.ts";
import { commandShape } from "./command-text.ts";

/** A path in a sentence. */
export interface PathMention {
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
export function isSamePath(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)];
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

function plain(path: string): string {
  return path.replace(/^(?:\.\/)+/, "").replaceAll("\\", "/");
}

/** Whether a text names the file, by the path or, where the claim has no folder, by its name. */
export function mentionsPath(text: string, path: string): boolean {
  const wanted = plain(path);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!/[\w-]/.test(text[at - 1] ?? "") && !/[\w-]/.test(text[at + wanted.length] ?? "")) return true;
  }
  return false;
}
