import { tellScheduled } from "../../../src/core/time.ts";
import type { LogEntry } from "../../api/types.ts";
import { showLine } from "../../format/show-controls.ts";
import { summarizeInput } from "../../format/summarize-call.ts";

/** What a line of the log says, in one line for a person. */
export function tellEntry(entry: LogEntry): string {
  return showLine(sayEntry(entry).slice(0, mostCharacters));
}

export function toolOf(entry: LogEntry): string {
  return textOf(entry["tool"] ?? entry["tool_name"] ?? "");
}

/** What it says beside its place in the chain. */
export function saidIn(entry: LogEntry): readonly (readonly [string, unknown])[] {
  return Object.entries(entry).filter(([key]) => !chainKeys.has(key) && key !== "type" && key !== "at");
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const mostCharacters = 400;
const chainKeys = new Set(["v", "writer", "seq", "prev", "after", "hash"]);

function sayEntry(entry: LogEntry): string {
  switch (entry["type"]) {
    case "tool_call":
      return summarizeInput(entry["input"]);
    case "tool_result":
    case "tool_error": {
      const took = typeof entry["latency_ms"] === "number" ? ` in ${Math.round(entry["latency_ms"])} ms` : "";
      const what = textOf(entry["error"] ?? entry["summary"] ?? "");
      return `${textOf(entry["state"] ?? "")}${took}${what === "" ? "" : `: ${what}`}`;
    }
    case "decision": {
      const reasons = Array.isArray(entry["reasons"]) ? entry["reasons"].map(textOf).join("; ") : "";
      const who = entry["who"] ? ` (${textOf(entry["who"])})` : "";
      return `${textOf(entry["decision"])} by ${textOf(entry["by"])}${who}${reasons === "" ? "" : `: ${reasons}`}`;
    }
    case "schedule":
      return tellScheduled(entry);
    case "audit":
    case "workflow":
      return textOf(entry["output"] ?? entry["input"] ?? "");
    default: {
      const text = entry["text"] ?? entry["message"] ?? entry["reason"];
      if (text !== undefined && text !== null) return textOf(text);
      return saidIn(entry)
        .filter(([, value]) => value !== null)
        .map(([key, value]) => `${key}=${textOf(value)}`)
        .join(" ");
    }
  }
}
