import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";
import type { ToolFile } from "../host/tool-host.ts";
import { readToolFile, type Snapshot } from "../scan/read-tool-file.ts";
import { claimDataFolder } from "../../records/claim-data-folder.ts";
import type { Folders } from "../../config/folders.ts";

export interface StagedProposal {
  /** The stable version with another content of its file; what it imports from the folder is the same. */
  readonly snapshot: Snapshot;
  readonly text: string;
  /** Of the staged file, relative to the workdir. */
  readonly shown: string;
}

/** Puts a proposed content where people can look at it. Nothing loads it from there. Throws the system's error. */
export function stageProposal(
  folders: Folders,
  stable: ToolFile & { readonly name: string },
  proposed: { readonly tool: string; readonly text: string },
): StagedProposal {
  const { name } = stable;
  const read = readToolFile(dirname(stable.path), name, Buffer.from(proposed.text));
  if (!read.ok) throw new Error(`${stable.shown}: ${read.problem.message}`);
  const { snapshot } = read;
  claimDataFolder(folders);
  const folder = stagingFolder(folders, proposed.tool);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${snapshot.hash}${extname(name)}`);
  writeFileSync(path, proposed.text, { mode: 0o600 });
  chmodSync(path, 0o600);
  return { snapshot, text: proposed.text, shown: relative(folders.workdir, path) };
}

export function stagingFolder(folders: Folders, tool: string): string {
  return join(folders.data, "staging", tool);
}
