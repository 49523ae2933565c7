/** Says whether one name (no slashes) fits. */
export type MatchName = (name: string) => boolean;

/**
 * A pattern for one name: `*` any characters, `?` one, `[a-z]` and `[!a-z]` one of a set, `\` before a character takes
 * it literally. Undefined when a set is not closed. Never a regular expression: the time is at most the length of the
 * pattern times the length of the name.
 */
export function compileName(pattern: string): MatchName | undefined {
  const tokens = tokenize(pattern);
  if (tokens === undefined) return undefined;
  return quickMatch(tokens) ?? ((name) => matchTokens(tokens, Array.from(name)));
}

type Token =
  | { readonly kind: "any" }
  | { readonly kind: "one"; fits(character: string): boolean; readonly text?: string };

const any: Token = { kind: "any" };

function tokenize(pattern: string): Token[] | undefined {
  const characters = Array.from(pattern);
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    if (character === "*") {
      if (tokens.at(-1)?.kind !== "any") tokens.push(any);
    } else if (character === "?") {
      tokens.push({ kind: "one", fits: () => true });
    } else if (character === "[") {
      const set = readSet(characters, at);
      if (set === undefined) return undefined;
      tokens.push({ kind: "one", fits: set.fits });
      at = set.end;
    } else {
      if (character === "\\") at++;
      const text = characters[at];
      if (text === undefined) return undefined;
      tokens.push({ kind: "one", text, fits: (other) => other === text });
    }
  }
  return tokens;
}

/** The common shapes (`name`, `*`, `*.ts`, `name*`, `*name*`) without looking at single characters. */
function quickMatch(tokens: readonly Token[]): MatchName | undefined {
  const starts = tokens[0]?.kind === "any";
  const ends = tokens.length > 1 && tokens.at(-1)?.kind === "any";
  const middle = tokens.slice(starts ? 1 : 0, ends ? -1 : undefined);
  if (!middle.every((token) => token.kind === "one" && token.text !== undefined)) return undefined;
  const text = middle.map((token) => (token.kind === "one" ? token.text : "")).join("");
  if (starts && ends) return (name) => name.includes(text);
  if (starts) return (name) => name.endsWith(text);
  return ends ? (name) => name.startsWith(text) : (name) => name === text;
}

/** After a mismatch only the last star has to take one more: that is enough for names. */
function matchTokens(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    const current = tokens[token];
    if (current?.kind === "any") {
      star = token++;
      starAt = at;
    } else if (current?.fits(name[at]!)) {
      token++;
      at++;
    } else if (star !== -1) {
      token = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (tokens[token]?.kind === "any") token++;
  return token === tokens.length;
}

function readSet(
  characters: readonly string[],
  open: number,
): { fits: (character: string) => boolean; end: number } | undefined {
  let at = open + 1;
  const negated = characters[at] === "!" || characters[at] === "^";
  if (negated) at++;
  const tests: ((character: string) => boolean)[] = [];
  const first = at;
  for (; characters[at] !== "]" || at === first; at++) {
    const named = readClass(characters, at);
    if (named !== undefined) {
      tests.push(named.fits);
      at = named.end;
      continue;
    }
    if (characters[at] === "\\") at++;
    const low = characters[at];
    if (low === undefined) return undefined;
    let high = low;
    if (characters[at + 1] === "-" && characters[at + 2] !== "]" && characters[at + 2] !== undefined) {
      at += characters[at + 2] === "\\" ? 3 : 2;
      high = characters[at] ?? low;
    }
    tests.push((character) => codePoint(character) >= codePoint(low) && codePoint(character) <= codePoint(high));
  }
  return { end: at, fits: (character) => tests.some((test) => test(character)) !== negated };
}

/** `[:alpha:]` and its like, inside a set. */
function readClass(
  characters: readonly string[],
  at: number,
): { fits: (character: string) => boolean; end: number } | undefined {
  if (characters[at] !== "[" || characters[at + 1] !== ":") return undefined;
  const text = characters.slice(at + 2, at + 10).join("");
  const name = text.slice(0, Math.max(text.indexOf(":]"), 0));
  const known = classes.get(name);
  if (known === undefined) return undefined;
  return { end: at + name.length + 3, fits: (character) => known.test(character) };
}

const classes = new Map([
  ["alpha", /^[A-Za-z]$/],
  ["digit", /^[0-9]$/],
  ["alnum", /^[A-Za-z0-9]$/],
  ["upper", /^[A-Z]$/],
  ["lower", /^[a-z]$/],
  ["space", /^\s$/],
  ["blank", /^[ \t]$/],
  ["punct", /^[!-/:-@[-`{-~]$/],
  ["xdigit", /^[0-9A-Fa-f]$/],
]);

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
