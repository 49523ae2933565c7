import { stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { cutText } from "../../core/text.ts";
import { readNotesFile } from "./read-notes-file.ts";

export interface WorkspaceContext {
  /** From the most general to the nearest, which counts most. */
  readonly files: readonly NotesFile[];
  /** What was left out, and why. */
  readonly notices: readonly string[];
}

export interface NotesFile {
  /** Relative to the workdir where it lies in or above it. */
  readonly path: string;
  readonly text: string;
}

export interface WorkspaceContextOptions {
  /** Real path. */
  readonly workdir: string;
  readonly home: string;
  /** The person's own notes, for all workdirs. */
  readonly userFile: string;
  readonly maxCharacters?: number;
}

/** In this order: what is written for agents in general counts before what is written for one of them. */
const names = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/** Notes for agents: the person's own, then those of the project from its top down to the workdir. Never throws. */
export async function readWorkspaceContext(options: WorkspaceContextOptions): Promise<WorkspaceContext> {
  const notices: string[] = [];
  const found: NotesFile[] = [];
  let left = options.maxCharacters ?? 32_000;
  const take = (path: string, text: string): void => {
    if (text.trim() === "") return;
    if (left <= 0) notices.push(`${path} was left out: the notes are longer than can be taken.`);
    else if (text.length > left) notices.push(`${path} was cut: the notes are longer than can be taken.`);
    if (left > 0) found.push({ path, text: cutText(text, left) });
    left -= text.length;
  };
  const own = await readNotesFile(options.userFile, { followLinks: true });
  if (own.state === "read") take(options.userFile, own.text);
  else if (own.state === "refused") notices.push(`${options.userFile} is not used: ${own.why}.`);
  const userFiles = found.splice(0);
  // The nearest is taken first, so that it is the last to be cut.
  const owner = (await stat(options.workdir).catch(() => undefined))?.uid;
  for (const folder of await foldersUp(options.workdir, options.home)) {
    // Above the workdir somebody else may have put it there.
    const wanted = folder === options.workdir ? undefined : owner;
    const notes = await readFolder(folder, { workdir: options.workdir, owner: wanted, notices });
    if (notes) take(notes.path, notes.text);
  }
  return { files: [...userFiles, ...found.toReversed()], notices };
}

interface FolderOptions {
  readonly workdir: string;
  readonly owner: number | undefined;
  readonly notices: string[];
}

async function readFolder(folder: string, { workdir, owner, notices }: FolderOptions): Promise<NotesFile | undefined> {
  for (const name of names) {
    const path = join(relative(workdir, folder), name);
    const read = await readNotesFile(join(folder, name), {
      followLinks: false,
      ...(owner === undefined ? {} : { owner }),
    });
    if (read.state === "read") return { path, text: read.text };
    if (read.state === "refused") notices.push(`${path} is not used: ${read.why}.`);
  }
  return undefined;
}

/**
 * The workdir and the folders above it, up to the top of the repository, or up to home where there is none. Outside both
 * only the workdir itself: anybody could have put notes into a folder like /tmp.
 */
async function foldersUp(workdir: string, home: string): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = workdir; ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === home || (await exists(join(folder, ".git")))) return folders;
    if (dirname(folder) === folder) return [workdir];
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
