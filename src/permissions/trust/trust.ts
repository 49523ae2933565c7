import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { codeOf } from "../../core/errors.ts";

/** A file of the workdir that widens what is allowed, or that would be executed. */
export interface TrustedFile {
  /** Relative to the workdir. */
  readonly path: string;
  /** `changed`: another content of it was trusted. */
  readonly status: "trusted" | "changed" | "new";
}

/**
 * Whether a person trusts what a folder brings along. Trust is in a content, not in a name: a file that changes, by a pull or
 * by a tool, is a stranger again.
 */
export interface Trust {
  /** All files that need trust, and whether they have it. */
  files(): TrustedFile[];
  isTrusted(path: string): boolean;
  /** Every file of which some content was trusted, relative to the workdir. */
  trustedPaths(): string[];
  /** For tool files, whose edits are live at once: what was trusted, read once. */
  readTools(): ToolTrust;
  /** Trusts these files as they are now; all that need it when none is named. */
  grant(who: string, paths?: readonly string[]): TrustedFile[];
  /** Says whether there was anything to take back. */
  revoke(): boolean;
}

/**
 * Whom a person trusts with changing tool files. A file that they trusted once is theirs, and so is whatever lies in a folder
 * that they trusted as a whole: there is nothing in it that somebody else brought along.
 */
export interface ToolTrust {
  /** Whether this very content was trusted, or noted. */
  knows(file: string, hash: string): boolean;
  /** Whether whatever the file is now is the person's own. */
  covers(file: string): boolean;
  /** Remembers contents that are loaded, so that the list of trusted files is true. */
  note(who: string, contents: readonly { readonly file: string; readonly hash: string }[]): void;
}

const kept = z.record(z.string(), z.object({ hash: z.string(), who: z.string(), at: z.iso.datetime() }));
type Kept = z.output<typeof kept>;

/** Beyond this many tool files something else is wrong, and reading them all would take long. */
const mostFiles = 5000;

export function openTrust(options: {
  readonly workdir: string;
  /** The person's own file, outside the workdir. */
  readonly path: string;
  /** Where tool files lie, relative to the workdir. */
  readonly toolFolders: readonly string[];
  /** Further files that would be executed, such as those of hooks. */
  readonly programs?: readonly string[];
  readonly now: () => number;
}): Trust {
  const { workdir, path } = options;

  function files(): TrustedFile[] {
    const known = read(path);
    return find().map((each) => ({ path: each, status: covers(each, known) ? "trusted" : statusOf(each, known) }));
  }

  function find(): string[] {
    return [...new Set([...findFiles(workdir, options.toolFolders), ...(options.programs ?? [])])];
  }

  function statusOf(file: string, known: Kept): TrustedFile["status"] {
    const entry = known[file];
    if (!entry) return "new";
    return entry.hash === hashOf(join(workdir, file)) ? "trusted" : "changed";
  }

  function folderOf(file: string): string | undefined {
    return options.toolFolders.find((folder) => file.startsWith(`${folder}/`));
  }

  /** Only for tool files: whatever they are now is the person's own, see `ToolTrust`. */
  function covers(file: string, known: Kept): boolean {
    const folder = folderOf(file);
    return folder !== undefined && (known[file] !== undefined || known[`${folder}/`] !== undefined);
  }

  /** Of folders in which nothing is left that nobody trusts. */
  function wholeFolders(known: Kept): string[] {
    const all = findFiles(workdir, options.toolFolders);
    return options.toolFolders.filter((folder) => {
      const inside = all.filter((file) => folderOf(file) === folder);
      return inside.length > 0 && inside.every((file) => known[file] !== undefined);
    });
  }

  function readTools(): ToolTrust {
    const known = read(path);
    return {
      knows: (file, hash) => known[file]?.hash === hash,
      covers: (file) => covers(file, known),
      note(who, contents) {
        const strange = contents.filter(({ file, hash }) => known[file]?.hash !== hash);
        if (strange.length === 0) return;
        const at = new Date(options.now()).toISOString();
        for (const { file, hash } of strange) known[file] = { hash, who, at };
        write(path, { ...read(path), ...Object.fromEntries(strange.map(({ file }) => [file, known[file]!])) });
      },
    };
  }

  return {
    files,
    readTools,
    isTrusted: (file) => statusOf(file, read(path)) === "trusted",
    trustedPaths: () => Object.keys(read(path)).filter((file) => !file.endsWith("/")),
    grant(who, paths = find()) {
      const at = new Date(options.now()).toISOString();
      const added = paths.flatMap((file) => {
        const hash = hashOf(join(workdir, file));
        return hash === null ? [] : [[file, { hash, who, at }] as const];
      });
      const known = { ...read(path), ...Object.fromEntries(added) };
      const whole = wholeFolders(known).map((folder) => [`${folder}/`, { hash: "", who, at }] as const);
      write(path, { ...known, ...Object.fromEntries(whole) });
      return files();
    },
    revoke() {
      if (Object.keys(read(path)).length === 0) return false;
      write(path, {});
      return true;
    },
  };
}

/** The files whose very presence changes what Deckhand would run or allow. */
const configurationFiles = ["deckhand.json", ".mcp.json"];

function findFiles(workdir: string, toolFolders: readonly string[]): string[] {
  const found = configurationFiles.filter((file) => isFile(join(workdir, file)));
  for (const folder of toolFolders) {
    for (const name of namesBelow(join(workdir, folder))) found.push(relative(workdir, name));
  }
  return found.slice(0, mostFiles);
}

function namesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return [];
    throw thrown;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Null when it can't be read; a link is not a file that could be trusted: it may lead elsewhere the next time. */
function hashOf(path: string): string | null {
  try {
    if (!lstatSync(path).isFile()) return null;
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return null;
  }
}

function read(path: string): Kept {
  try {
    return kept.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // Missing or damaged: nothing is trusted, and granting writes it anew.
    return {};
  }
}

function write(path: string, content: Kept): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}
