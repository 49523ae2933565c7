import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asFields } from "./mcp-json-rpc.ts";
import type { ListedTool, ToolList } from "./list-tools.ts";
import { serverKey, type McpServerSetting } from "./server-setting.ts";

/** Which tools servers had the last time, so that a conversation can begin before any of them runs. */
export interface ToolCache {
  /** Undefined: not known, or it can't be read. */
  read(setting: McpServerSetting): ToolList | undefined;
  /** A cache that can't be written costs time, nothing else; so it never throws. */
  write(setting: McpServerSetting, list: ToolList): void;
}

const format = 1;
const keptDays = 30;

/** A private folder of the person's: who writes there says what the model is told of tools. */
export function openToolCache(folder: string, now: () => number): ToolCache {
  const fileOf = (setting: McpServerSetting): string => join(folder, `${serverKey(setting)}.json`);
  return {
    read(setting) {
      try {
        return toList(JSON.parse(readFileSync(fileOf(setting), "utf8")));
      } catch {
        return undefined;
      }
    },
    write(setting, list) {
      const file = fileOf(setting);
      const temporary = `${file}.${process.pid}.tmp`;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(temporary, JSON.stringify({ format, ...list }), { mode: 0o600 });
        renameSync(temporary, file);
        removeOld(folder, now() - keptDays * 86_400_000);
      } catch {
        rmSync(temporary, { force: true });
      }
    },
  };
}

function removeOld(folder: string, before: number): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (statSync(file).mtimeMs < before) rmSync(file, { force: true });
  }
}

function toList(value: unknown): ToolList | undefined {
  const { format: found, tools, leftOut } = asFields(value) ?? {};
  if (found !== format || !Array.isArray(tools) || !Array.isArray(leftOut)) return undefined;
  return tools.every(isListed) ? { tools, leftOut: leftOut.map(String) } : undefined;
}

function isListed(value: unknown): value is ListedTool {
  const { name, description, inputSchema, hints } = asFields(value) ?? {};
  const isNamed = typeof name === "string" && typeof description === "string";
  return isNamed && asFields(inputSchema) !== undefined && asFields(hints) !== undefined;
}
