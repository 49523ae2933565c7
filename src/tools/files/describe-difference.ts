import { codePoints, nameCharacters } from "./look-alikes.ts";

/** How a line of the file differs from the line that was asked for, to be read after "line 12 …". */
export function describeDifference(wanted: string, actual: string): string {
  if (wanted.trimStart() === actual.trimStart()) {
    return `begins with ${describeSpace(leading(actual))}, old_string has ${describeSpace(leading(wanted))}`;
  }
  if (wanted.trimEnd() === actual.trimEnd()) {
    return `ends with ${describeSpace(trailing(actual))}, old_string has ${describeSpace(trailing(wanted))}`;
  }
  if (wanted.trim() === actual.trim()) return "has other white space at its start and end";
  const alike = nameCharacters(wanted, actual, 0);
  if (alike !== undefined) return `${alike}, which looks alike`;
  if (withoutSpace(wanted) === withoutSpace(actual)) {
    return /[^\S \t]/.test(actual) ? "has unusual white space (such as a no-break space)" : "differs in white space";
  }
  if (plainKey(wanted) === plainKey(actual)) return "has other quotation marks or dashes";
  if (plainKey(wanted).toLowerCase() === plainKey(actual).toLowerCase()) return "differs in upper and lower case";
  return nameCharacters(wanted, actual, mostOthers) ?? "differs";
}

/** Letters of another alphabet look like ours; where more differs, it is another text. */
const mostOthers = 3;

/** A line without what is easily mistaken: no white space, and plain quotation marks and dashes. */
export function plainKey(line: string): string {
  const bare = withoutSpace(line);
  if (!/[^!-_a-~]/.test(bare)) return bare;
  return bare
    .replaceAll(/[‘’‚‛`´]/g, "'")
    .replaceAll(/[“”„‟«»]/g, '"')
    .replaceAll(/[‐‑‒–—―−]/g, "-");
}

function withoutSpace(line: string): string {
  return line.replaceAll(/\s+/g, "");
}

function leading(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function trailing(line: string): string {
  return line.slice(line.trimEnd().length);
}

function describeSpace(space: string): string {
  if (space === "") return "no white space";
  const tabs = space.split("\t").length - 1;
  const spaces = space.split(" ").length - 1;
  const others = space.replaceAll(/[\t ]/g, "");
  const parts = [
    [tabs, "tab"],
    [spaces, "space"],
  ] as const;
  return [
    ...parts.filter(([count]) => count > 0).map(([count, noun]) => `${count} ${noun}${count === 1 ? "" : "s"}`),
    ...(others === "" ? [] : [codePoints(others)]),
  ].join(" and ");
}
