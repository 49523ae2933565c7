import { decodeEscapes } from "./decode-escapes.ts";

const maxRounds = 64;

/** What `printf format arguments…` prints. Null: a directive that is not known. */
export function formatPrintf([format, ...values]: readonly string[]): string | null {
  if (format === undefined) return null;
  const waiting = [...values];
  let output = "";
  // The format is used again until no argument is left.
  for (let round = 0; round < maxRounds; round += 1) {
    const before = waiting.length;
    const text = formatOnce(format, waiting);
    if (text === null) return null;
    output += text;
    if (waiting.length === 0 || waiting.length === before) return output;
  }
  return null;
}

const part = /%%|%([-0+ #]*)(\d*)(?:\.(\d+))?([a-zA-Z(*])|((?:(?!%)[\s\S])+)|%/g;

function formatOnce(format: string, waiting: string[]): string | null {
  let output = "";
  for (const [all, flags = "", width = "", precision, directive, plain] of format.matchAll(part)) {
    if (all === "%") return null;
    if (all === "%%") output += "%";
    else if (plain !== undefined) output += decodeEscapes(plain, "printf");
    else {
      const value = convert(directive ?? "", waiting.shift() ?? "");
      const size = Number(width);
      if (value === null || size > 1000) return null;
      const cut = precision !== undefined && directive === "s" ? value.slice(0, Number(precision)) : value;
      const filler = flags.includes("0") && directive !== "s" ? "0" : " ";
      output += flags.includes("-") ? cut.padEnd(size) : cut.padStart(size, filler);
    }
  }
  return output;
}

function convert(directive: string, value: string): string | null {
  if (directive === "s") return value;
  if (directive === "b") return decodeEscapes(value, "echo");
  if (directive === "c") return value.slice(0, 1);
  if (directive === "q") return /^[\w./-]+$/.test(value) ? value : null;
  const number = /^['"]./.test(value) ? value.charCodeAt(1) : Number(value.replace(/^0([0-7])/, "0o$1") || "0");
  if (!Number.isSafeInteger(number)) return null;
  if (directive === "d" || directive === "i" || directive === "u") return String(number);
  if (directive === "x") return number.toString(16);
  if (directive === "X") return number.toString(16).toUpperCase();
  return directive === "o" ? number.toString(8) : null;
}
