import { lstatSync, readlinkSync } from "node:fs";
import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { ToolResult } from "../../core/tool.ts";
import { asResult, countOf, formatBytes, formatCount } from "../failure.ts";
import { type HeldFolder, isInOwnFolder, resourcesOfSearch, showPath, withFolder } from "./locate-folder.ts";
import { lookAt, type TreeEntry, type Walk, walkTree } from "./walk-tree.ts";

const input = z.object({
  path: z.string().optional().describe("Folder, default the workdir"),
  depth: z.number().int().min(1).max(20).optional().describe("Levels to show, default 2"),
  include_ignored: z.boolean().optional().describe("Also what git ignores"),
  limit: z.number().int().min(1).max(10_000).optional().describe("Most entries, default 500"),
});

export const listFilesTool = defineTool({
  name: "list_files",
  description: "Show a folder as a tree: folders end in /, files have their size, links show where they point.",
  traits: { readOnly: true, risk: "low", category: "files" },
  timeoutMs: 30_000,
  input,
  resources: resourcesOfSearch,
  run: (wanted, context) =>
    asResult(wanted.path ?? ".", context.signal, () =>
      withFolder(wanted.path ?? ".", context, (folder) => listFiles(wanted, folder, context.signal)),
    ),
});

async function listFiles(wanted: z.output<typeof input>, folder: HeldFolder, signal: AbortSignal): Promise<ToolResult> {
  const { depth = 2, limit = 500 } = wanted;
  const includeIgnored = wanted.include_ignored === true || isInOwnFolder(folder);
  const entries: TreeEntry[] = [];
  const leftOut: string[] = [];
  let truncated = false;
  const tree = { root: folder.folder, signal };
  const { unreadable } = await walkTree({
    ...tree,
    includeIgnored,
    maxDepth: depth,
    isSorted: true,
    visit(entry) {
      truncated = entries.length >= limit;
      if (!truncated) entries.push(entry);
      return truncated ? "stop" : undefined;
    },
    leavesOut: (entry) => leftOut.push(entry.kind === "folder" ? `${entry.path}/` : entry.path),
  });
  const listed = await describe(tree, entries);
  const notes: string[] = [];
  if (listed.length === 0) notes.push(`${folder.shown} has no ${leftOut.length > 0 ? "other " : ""}entries.`);
  if (truncated) {
    notes.push(
      `[Only the first ${formatCount(limit)} entries. Use a smaller depth, a folder below, or a larger limit.]`,
    );
  }
  if (leftOut.length > 0) notes.push(describeLeftOut(leftOut));
  if (unreadable > 0) notes.push(`[${countOf(unreadable, "folder")} could not be read.]`);
  return {
    ok: true,
    output: [...renderTree(listed), ...notes].join("\n"),
    data: {
      path: folder.shown,
      entries: listed.map(({ path: name, kind, bytes }) => ({ path: name, kind, bytes })),
      truncated,
    },
  };
}

interface Listed extends TreeEntry {
  readonly bytes: number | null;
  /** What stands after the name. */
  readonly detail: string;
}

async function describe(tree: Pick<Walk, "root" | "signal">, entries: readonly TreeEntry[]): Promise<Listed[]> {
  const seen = await lookAt(tree, entries, describeEntry);
  // Whatever happened to it since it was seen: its name is still worth showing.
  return entries.map((entry) => seen.get(entry) ?? { ...entry, bytes: null, detail: "" });
}

function describeEntry(path: string, entry: TreeEntry): Listed {
  if (entry.kind === "link") return { ...entry, bytes: null, detail: ` -> ${targetOf(path)}` };
  if (entry.kind === "file") {
    const bytes = lstatSync(path, { throwIfNoEntry: false })?.size ?? null;
    return { ...entry, bytes, detail: bytes === null ? "" : `  ${formatBytes(bytes)}` };
  }
  return { ...entry, bytes: null, detail: entry.kind === "folder" ? "/" : "  (a pipe, socket or device)" };
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "?"; // no link any more
  }
}

function renderTree(listed: readonly Listed[]): string[] {
  const byFolder = Map.groupBy(listed, ({ folder }) => folder.join("/"));
  const render = (folder: string, indent: string): string[] =>
    (byFolder.get(folder) ?? []).flatMap((entry) => [
      `${indent}${showPath(entry.name)}${entry.detail}`,
      ...(entry.kind === "folder" ? render(entry.path, `${indent}  `) : []),
    ]);
  return render("", "");
}

const mostNamed = 6;

function describeLeftOut(leftOut: readonly string[]): string {
  const named = leftOut.slice(0, mostNamed).map(showPath).join(", ");
  const more = leftOut.length > mostNamed ? ` and ${formatCount(leftOut.length - mostNamed)} more` : "";
  return `[Ignored by git and left out: ${named}${more}.]`;
}
