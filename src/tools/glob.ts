import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { defineTool } from "../core/define-tool.ts";
import type { ToolContext, ToolResult } from "../core/tool.ts";
import { asResult } from "./failure.ts";
import { countOf, formatCount } from "./format-bytes.ts";
import { compileGlob } from "./glob-pattern.ts";
import { locateFolder, showPath } from "./locate-folder.ts";
import type { Located } from "./locate.ts";
import { isInOwnFolder } from "./own-folder.ts";
import { resourcesOfSearch } from "./search-resources.ts";
import { walkTree } from "./walk-tree.ts";

export const globTool = defineTool({
  name: "glob",
  description:
    "Find files by a pattern such as **/*.{ts,tsx} or src/**. Without a slash it fits names at any depth; with a slash at the end, folders. Newest first; files that git ignores are left out.",
  traits: { readOnly: true, risk: "low", category: "search" },
  timeoutMs: 30_000,
  input: z.object({
    pattern: z.string(),
    path: z.string().optional().describe("Folder to search, default the workdir"),
    include_ignored: z.boolean().optional().describe("Also what git ignores"),
    limit: z.number().int().min(1).max(10_000).optional().describe("Default 1000"),
  }),
  resources: resourcesOfSearch,
  run: (input, context) => asResult(input.path ?? ".", context.signal, () => findFiles(input, context)),
});

interface Wanted {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly include_ignored?: boolean | undefined;
  readonly limit?: number | undefined;
}

async function findFiles(wanted: Wanted, { workdir, signal }: ToolContext): Promise<ToolResult> {
  const { pattern, path = ".", limit = 1000 } = wanted;
  const glob = compileGlob(pattern);
  if (!glob.ok) return glob;
  const folder = await locateFolder(path, workdir);
  if (!folder.ok) return folder;
  const includeIgnored = wanted.include_ignored === true || isInOwnFolder(folder);
  const found: string[] = [];
  const { unreadable } = await walkTree({
    root: folder.path,
    signal,
    includeIgnored,
    maxDepth: Infinity,
    enters: (names) => glob.couldContain(names),
    visit(entry) {
      if (glob.matches(entry.folder, entry.name, entry.kind === "folder")) found.push(entry.path);
      return undefined;
    },
  });
  const newest = await sortByAge(folder, found, signal);
  const files = newest.slice(0, limit).map((name) => (folder.shown === "." ? name : `${folder.shown}/${name}`));
  const notes: string[] = [];
  if (found.length === 0) {
    notes.push(
      `No files match ${pattern} in ${folder.shown}${includeIgnored ? "" : " (files that git ignores left out)"}.`,
    );
  }
  if (found.length > limit) {
    notes.push(
      `[The newest ${formatCount(limit)} of ${formatCount(found.length)}. Narrow the pattern or raise limit.]`,
    );
  }
  if (unreadable > 0) notes.push(`[${countOf(unreadable, "folder")} could not be read.]`);
  return {
    ok: true,
    output: [...files.map(showPath), ...notes].join("\n"),
    data: { files, total: found.length, truncated: found.length > limit },
  };
}

const atOnce = 64;

async function sortByAge(folder: Located, found: readonly string[], signal: AbortSignal): Promise<string[]> {
  const aged: { name: string; changedAt: number }[] = [];
  for (let at = 0; at < found.length; at += atOnce) {
    signal.throwIfAborted();
    const names = found.slice(at, at + atOnce);
    aged.push(
      ...(await Promise.all(
        names.map(async (name) => ({ name, changedAt: await changedAt(join(folder.path, name)) })),
      )),
    );
  }
  aged.sort((a, b) => b.changedAt - a.changedAt || (a.name < b.name ? -1 : 1));
  return aged.map(({ name }) => name);
}

async function changedAt(path: string): Promise<number> {
  return lstat(path).then(
    (stats) => stats.mtimeMs,
    // Gone since it was found.
    () => 0,
  );
}
