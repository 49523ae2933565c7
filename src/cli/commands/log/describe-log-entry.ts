import { clipText } from "../../../core/text.ts";
import { tellScheduled } from "../../../core/time.ts";
import { neutralizeLine, neutralizeText, fitWidth } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

type Entry = Readonly<Record<string, unknown>>;

/** One line for a person: when, what kind, and what it says. */
export function summarizeEntry(entry: Entry, terminal: Terminal): string {
  const at = textOf(entry["at"]).slice(0, 19).replace("T", " ");
  const type = textOf(entry["type"]);
  const head = `${at}  ${type.padEnd(16)}  `;
  const said = neutralizeLine(clipText(tellEntry(entry), 2000));
  const room = terminal.width === undefined ? undefined : Math.max(20, terminal.width - head.length);
  const color = colors[type];
  const line = room === undefined ? said : fitWidth(said, room);
  return `${neutralizeLine(head.slice(0, at.length + 2))}${color ? terminal.style(color, type.padEnd(16)) : neutralizeLine(type.padEnd(16))}  ${line}\n`;
}

/** The whole of it. */
export function describeEntry(entry: Entry): string {
  const { at, type, writer, seq, prev, after, hash } = entry;
  const lines = saidIn(entry).map(([key, value]) => `  ${key.padEnd(15)}  ${indent(textOf(value))}`);
  const chain = [`  ${"hash".padEnd(15)}  ${textOf(hash)}`, `  ${"prev".padEnd(15)}  ${textOf(prev ?? "none")}`];
  if (after !== undefined) chain.push(`  ${"after".padEnd(15)}  ${textOf(after)}`);
  const head = `${textOf(at)}  ${textOf(type)}  (${textOf(writer)}:${textOf(seq)})`;
  return neutralizeText(`${[head, ...lines, ...chain].join("\n")}\n`);
}

const colors: Readonly<Record<string, "red" | "green" | "yellow" | "cyan">> = {
  tool_error: "red",
  tool_result: "green",
  decision: "yellow",
  gap: "red",
  repaired: "yellow",
  user_input: "cyan",
};

function tellEntry(entry: Entry): string {
  const tool = textOf(entry["tool_name"] ?? entry["tool"] ?? "");
  const id = textOf(entry["id"] ?? "").slice(-4);
  const mark = id === "" ? "" : ` [${id}]`;
  switch (entry["type"]) {
    case "tool_call":
      return `${tool}${mark} ${textOf(entry["input"])}`;
    case "tool_result":
    case "tool_error": {
      const took = typeof entry["latency_ms"] === "number" ? ` ${Math.round(entry["latency_ms"])} ms` : "";
      const what = textOf(entry["error"] ?? entry["summary"] ?? "");
      return `${tool}${mark} ${textOf(entry["state"])}${took}${what === "" ? "" : `: ${what}`}`;
    }
    case "decision": {
      const reasons = Array.isArray(entry["reasons"]) ? entry["reasons"].map(textOf).join("; ") : "";
      const who = entry["who"] ? ` (${textOf(entry["who"])})` : "";
      return `${tool}${mark} ${textOf(entry["decision"])} by ${textOf(entry["by"])}${who}${reasons && `: ${reasons}`}`;
    }
    case "schedule":
      return tellScheduled(entry);
    case "audit":
    case "workflow":
      return `${tool}${mark} ${textOf(entry["output"])}`;
    default: {
      const text = entry["text"] ?? entry["message"];
      return text === undefined ? tellFields(entry) : textOf(text);
    }
  }
}

const ownKeys = new Set(["v", "at", "type", "writer", "seq", "prev", "after", "hash"]);

function tellFields(entry: Entry): string {
  return saidIn(entry)
    .map(([key, value]) => `${key}=${textOf(value)}`)
    .join(" ");
}

/** What it says beside its place in the chain. */
function saidIn(entry: Entry): [string, unknown][] {
  return Object.entries(entry).filter(([key]) => !ownKeys.has(key));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function indent(text: string): string {
  return text.replaceAll("\n", `\n${" ".repeat(19)}`);
}
