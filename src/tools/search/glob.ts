import { lstatSync } from "node:fs";
import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { ToolContext, ToolResult } from "../../core/tool.ts";
import { asResult, countOf, formatCount } from "../failure.ts";
import { compileGlob, type GlobPattern } from "./glob-pattern.ts";
import { type HeldFolder, isInOwnFolder, resourcesOfSearch, showPath, withFolder } from "./locate-folder.ts";
import { lookAt, type TreeEntry, type Walk, walkTree } from "./walk-tree.ts";

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

async function findFiles(wanted: Wanted, context: ToolContext): Promise<ToolResult> {
  const glob = compileGlob(wanted.pattern);
  if (!glob.ok) return glob;
  return withFolder(wanted.path ?? ".", context, (folder) =>
    findIn(folder, { ...wanted, glob, signal: context.signal }),
  );
}

async function findIn(
  folder: HeldFolder,
  { glob, signal, ...wanted }: Wanted & { readonly glob: GlobPattern; readonly signal: AbortSignal },
): Promise<ToolResult> {
  const { pattern, limit = 1000 } = wanted;
  const includeIgnored = wanted.include_ignored === true || isInOwnFolder(folder);
  const found: TreeEntry[] = [];
  const tree = { root: folder.folder, signal };
  const { unreadable } = await walkTree({
    ...tree,
    includeIgnored,
    maxDepth: Infinity,
    enters: (names) => glob.couldContain(names),
    visit(entry) {
      if (glob.matches(entry.folder, entry.name, entry.kind === "folder")) found.push(entry);
      return undefined;
    },
  });
  const newest = await sortByAge(tree, found);
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

async function sortByAge(tree: Pick<Walk, "root" | "signal">, found: readonly TreeEntry[]): Promise<string[]> {
  const seen = await lookAt(tree, found, changedAt);
  // What can't be asked any more is gone since it was found.
  const aged = found.map((entry) => ({ name: entry.path, changedAt: seen.get(entry) ?? 0 }));
  aged.sort((a, b) => b.changedAt - a.changedAt || (a.name < b.name ? -1 : 1));
  return aged.map(({ name }) => name);
}

function changedAt(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
