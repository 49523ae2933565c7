const mostAlternatives = 500;

/** `a{b,c}` → `ab`, `ac`, nested ones too; or what is wrong. Braces after `\` and inside `[…]` are plain characters. */
export function expandBraces(pattern: string): string[] | { readonly problem: string } {
  const open = findOpen(pattern);
  if (open === -1) return [pattern];
  const parts = splitGroup(pattern, open);
  if (parts === undefined) return { problem: "has a { without its }" };
  const rest = expandBraces(parts.rest);
  if (!Array.isArray(rest)) return rest;
  const before = pattern.slice(0, open);
  const expanded: string[] = [];
  for (const option of parts.options) {
    const inner = expandBraces(option);
    if (!Array.isArray(inner)) return inner;
    if (expanded.length + inner.length * rest.length > mostAlternatives) {
      return { problem: `has more than ${mostAlternatives} alternatives in braces` };
    }
    for (const middle of inner) for (const end of rest) expanded.push(before + middle + end);
  }
  return expanded;
}

function findOpen(pattern: string): number {
  for (let at = 0; at < pattern.length; at = skip(pattern, at)) if (pattern[at] === "{") return at;
  return -1;
}

/** The next position, past an escaped character or a set. */
function skip(pattern: string, at: number): number {
  if (pattern[at] === "\\") return at + 2;
  if (pattern[at] !== "[") return at + 1;
  const negated = pattern[at + 1] === "!" || pattern[at + 1] === "^";
  const close = pattern.indexOf("]", at + (negated ? 3 : 2));
  return close === -1 ? at + 1 : close + 1;
}

function splitGroup(pattern: string, open: number): { options: string[]; rest: string } | undefined {
  const options: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < pattern.length; at = skip(pattern, at)) {
    const character = pattern[at];
    if (character === "{") depth++;
    if (character === "," && depth === 1) {
      options.push(pattern.slice(from, at));
      from = at + 1;
    }
    if (character === "}" && --depth === 0) {
      options.push(pattern.slice(from, at));
      return { options, rest: pattern.slice(at + 1) };
    }
  }
  return undefined;
}
