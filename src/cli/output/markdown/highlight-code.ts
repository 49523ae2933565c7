import type { Look, Span } from "./wrap-writer.ts";

/** Colours one line after the other; remembers a comment or text that goes on. The texts together are the line. */
export interface Highlighter {
  line(text: string): Span[];
}

interface Syntax {
  readonly comment: string | null;
  /** What may go on over several lines, and how it ends. */
  readonly blocks: Readonly<Record<string, string>>;
  readonly quotes: string;
  readonly keywords: ReadonlySet<string>;
}

export function createHighlighter(language: string): Highlighter {
  const name = language.toLowerCase();
  if (name === "diff" || name === "patch") return { line: (text) => [{ text, looks: diffLooks(text) }] };
  const syntax = syntaxOf[name];
  if (!syntax) return { line: (text) => [{ text, looks: [] }] };
  let open: string | null = null;
  return {
    line(text) {
      const spans: Span[] = [];
      let at = 0;
      while (at < text.length) {
        const token: Token = open === null ? readToken(text, at, syntax) : endBlock(text, at, open);
        open = token.open;
        spans.push({ text: text.slice(at, token.end), looks: token.looks });
        at = token.end;
      }
      return spans;
    },
  };
}

interface Token {
  readonly end: number;
  readonly looks: readonly Look[];
  /** How the block that begins or goes on here ends; null when nothing is open. */
  readonly open: string | null;
}

function readToken(text: string, at: number, syntax: Syntax): Token {
  const { comment, blocks, quotes, keywords } = syntax;
  if (comment !== null && text.startsWith(comment, at) && isCommentStart(text, at, comment)) {
    return { end: text.length, looks: ["dim"], open: null };
  }
  for (const [start, end] of Object.entries(blocks)) {
    if (!text.startsWith(start, at)) continue;
    const rest = endBlock(text, at + start.length, end);
    return { ...rest, looks: looksOfBlock(end) };
  }
  const character = text[at] ?? "";
  if (quotes.includes(character)) return { end: endOfQuote(text, at), looks: ["green"], open: null };
  const word = matchAt(/[\p{Letter}_$@][\p{Letter}\p{Number}_$-]*/uy, text, at);
  if (word !== undefined) {
    const isKeyword = keywords.has(word) || (keywords === sqlWords && keywords.has(word.toLowerCase()));
    return { end: at + word.length, looks: isKeyword ? ["magenta"] : [], open: null };
  }
  const number = matchAt(/\d[\d._]*[a-zA-Z]*/y, text, at);
  if (number !== undefined) return { end: at + number.length, looks: ["yellow"], open: null };
  const space = matchAt(/[^\p{Letter}\p{Number}_$@"'`/#<-]+/uy, text, at);
  const length = space === undefined ? character.length : space.length;
  return { end: at + length, looks: [], open: null };
}

function endBlock(text: string, at: number, ending: string): Token {
  const found = text.indexOf(ending, at);
  const looks = looksOfBlock(ending);
  return found === -1 ? { end: text.length, looks, open: ending } : { end: found + ending.length, looks, open: null };
}

function looksOfBlock(ending: string): readonly Look[] {
  return ending === "*/" || ending === "-->" ? ["dim"] : ["green"];
}

/** In a shell `$#` and `a#b` are no comments; an address has `//` in it. */
function isCommentStart(text: string, at: number, comment: string): boolean {
  return at === 0 || (comment === "#" ? /\s/.test(text[at - 1] ?? "") : text[at - 1] !== ":");
}

function endOfQuote(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === text[at]) return index + 1;
  }
  return text.length;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function diffLooks(text: string): readonly Look[] {
  if (/^(?:\+\+\+|---)/.test(text)) return ["bold"];
  if (text.startsWith("@@")) return ["cyan"];
  return text.startsWith("+") ? ["green"] : text.startsWith("-") ? ["red"] : [];
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

const curly = words(
  "abstract as async await bool boolean break case catch char class const continue crate default defer delete do double else enum export extends false final finally float fn for foreach from func function go if impl implements import in int interface internal is let long loop match mod module move mut namespace new nil null number object of override package private protected pub public readonly record ref return self static string struct super switch template this throw throws trait true try type typeof undefined unsafe use using val var virtual void where while yield",
);
const script = words(
  "and as assert async await begin break case class continue def del do done elif else elsif end ensure esac except export false False fi finally for from function global if import in is lambda local module next nil None nonlocal not or pass raise require rescue return self set then true True try unless until when while with yield",
);
const sqlWords = words(
  "add all alter and as asc between by case create cross delete desc distinct drop else end exists false from full group having if in index inner insert into is join key left like limit not null on or order outer primary references returning right select set table then true union unique update values view when where with",
);

const curlySyntax: Syntax = { comment: "//", blocks: { "/*": "*/", "`": "`" }, quotes: `"'`, keywords: curly };
const scriptSyntax: Syntax = { comment: "#", blocks: { '"""': '"""', "'''": "'''" }, quotes: `"'\``, keywords: script };
const dataSyntax: Syntax = { comment: "#", blocks: {}, quotes: `"'`, keywords: words("true false null yes no on off") };
const sqlSyntax: Syntax = { comment: "--", blocks: { "/*": "*/" }, quotes: `"'`, keywords: sqlWords };
const markupSyntax: Syntax = { comment: null, blocks: { "<!--": "-->" }, quotes: `"`, keywords: words("") };

const syntaxOf: Readonly<Record<string, Syntax>> = Object.assign(
  Object.create(null) as Record<string, Syntax>,
  named(
    curlySyntax,
    "js jsx mjs cjs javascript ts tsx mts cts typescript java c h cpp c++ hpp cc cs csharp go golang rust rs swift kotlin kt scala php dart css scss json5 jsonc json groovy proto zig",
  ),
  named(
    scriptSyntax,
    "py python python3 sh bash zsh shell console fish rb ruby perl pl r make makefile dockerfile docker elixir ex nix",
  ),
  named(dataSyntax, "yaml yml toml ini conf env properties"),
  named(sqlSyntax, "sql postgres postgresql mysql sqlite lua"),
  named(markupSyntax, "html xml svg vue svelte"),
);

function named(syntax: Syntax, names: string): Record<string, Syntax> {
  return Object.fromEntries(names.split(" ").map((name) => [name, syntax]));
}
