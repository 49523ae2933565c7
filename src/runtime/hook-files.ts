import { lstatSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { HookSetting } from "../gate/hook-program.ts";
import type { McpServerFields } from "./mcp-settings.ts";

interface Hooks {
  readonly before?: readonly HookSetting[] | undefined;
  readonly after?: readonly HookSetting[] | undefined;
}

interface Programs {
  readonly hooks?: Hooks | undefined;
  readonly mcpServers?: Readonly<Record<string, McpServerFields>> | undefined;
}

/**
 * The files of the workdir that the hooks and MCP servers of its settings run, relative to it: who may change them decides what
 * they do.
 */
export function hookFiles({ hooks, mcpServers }: Programs, workdir: string): string[] {
  const all = [...(hooks?.before ?? []), ...(hooks?.after ?? [])];
  const ofHooks = all.flatMap((hook) => filesAmong(wordsOf(hook), workdir, workdir));
  const ofServers = Object.values(mcpServers ?? {}).flatMap(({ command, args = [], cwd = "." }) =>
    command === undefined ? [] : filesAmong([command, ...args.filter(isScript)], workdir, resolve(workdir, cwd)),
  );
  return [...new Set([...ofHooks, ...ofServers])];
}

/** Any word of a command may name its script: `["sh", "check.sh"]`. */
function wordsOf({ module, command }: HookSetting): readonly string[] {
  return module === undefined ? (command ?? []) : [module];
}

/** A server's arguments also name what it works on, such as a database, which changes all the time. */
function isScript(word: string): boolean {
  return /\.(?:[cm]?[jt]sx?|py|sh|rb|pl|php|lua|jar|wasm)$/i.test(word);
}

function filesAmong(words: readonly string[], workdir: string, cwd: string): string[] {
  return words.flatMap((word) => {
    const path = resolve(cwd, word);
    const way = relative(workdir, path);
    const isInside = way !== "" && !way.startsWith("..");
    return isInside && lstatSync(path, { throwIfNoEntry: false })?.isFile() ? [way] : [];
  });
}
