import { lstatSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { HookSetting } from "../permissions/hooks/hooks.ts";
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
    return isInside && isFile(path) ? [way] : [];
  });
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false; // a word may name anything, also something below a file
  }
}

const maxLoadedFiles = 200;

/**
 * Such files and what they load, relative to the workdir: what their text imports, requires or sources by a relative path, and
 * what that loads in turn. What a program finds by other means, such as a name that it puts together, is not seen.
 */
export function withLoadedFiles(files: readonly string[], workdir: string): string[] {
  const found = new Set(files);
  for (const file of found) {
    if (found.size >= maxLoadedFiles) break;
    for (const loaded of loadedBy(file, workdir)) found.add(loaded);
  }
  return [...found];
}

function loadedBy(file: string, workdir: string): string[] {
  let text: string;
  try {
    text = readFileSync(join(workdir, file), "utf8").slice(0, 200_000);
  } catch {
    return [];
  }
  const named = [...text.matchAll(loading)].map((match) => match[1] ?? match[2]!);
  // Of a Python module in the same folder only the bare name is said.
  const words = named.flatMap((name) => [name, ...endings.map((ending) => name + ending)]);
  return [dirname(join(workdir, file)), workdir].flatMap((folder) => filesAmong(words, workdir, folder));
}

const endings = [".js", ".mjs", ".cjs", ".ts", ".py", ".sh", ".rb", "/index.js", "/index.ts", "/__init__.py"];
const loading =
  /(?:\bfrom\s+|\bimport\s*\(?\s*|\brequire(?:_relative)?\s*\(?\s*|\bsource\s+|(?:^|[;&|]\s*)\.\s+)(?:["'](?:\$\{?\w+\}?\/|\$\([^)]*\)\/)?([^"'\s]+)["']|([\w./-]+))/gm;
