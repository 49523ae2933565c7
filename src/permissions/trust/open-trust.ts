import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createQuarantine, describeCause, type QuarantinedFile } from "./quarantine.ts";
import { openQuarantineFile } from "./quarantine-file.ts";
import { openTrust, type TrustedFile } from "./trust.ts";
import { unifiedDiff } from "../../core/unified-diff.ts";
import { type HeldDefinition, openDefinitionPins, pinsFile, showChange } from "../../mcp/client/definition-pins.ts";
import { adoptDataFolder } from "../../records/claim-data-folder.ts";
import { defaultConfiguration } from "../../config/configuration.ts";
import { locateFolders, type Folders } from "../../config/folders.ts";
import { hookFiles } from "../../config/hook-files.ts";
import { loadConfiguration, readProjectSettings } from "../../config/load-configuration.ts";
import { type Environment } from "../../core/process.ts";
import { readSharedMcpServers } from "../../config/mcp-settings.ts";
import { narrowSettings } from "../../config/narrow-settings.ts";

/** Where tool files lie, relative to the workdir; what a setting says may be written in many ways. */
export function toolFolderOf(workdir: string, setting: string): string {
  return relative(workdir, resolve(workdir, setting)) || ".";
}

/** A folder elsewhere did not come with the workdir: the person named it. */
export function isBroughtAlong(toolFolder: string): boolean {
  return toolFolder !== ".." && !toolFolder.startsWith("../");
}

/** Where they lie by the settings that count here. */
export function readToolFolder(folders: Folders, env: Environment): string {
  const { workdir } = folders;
  const trust = openTrust({ workdir, path: folders.trust, toolFolders: [], now: Date.now });
  const isTrusted = (file: string): boolean => trust.isTrusted(file);
  let setting = defaultConfiguration.tools.folder;
  try {
    setting = loadConfiguration({ workdir, env, overrides: {}, isTrusted }).configuration.tools.folder;
  } catch {
    // What is wrong with the settings is told by whoever needs them; trust can be given without.
  }
  return toolFolderOf(workdir, setting);
}

/** A changed tool file that waits for an approval. */
export interface WaitingFile extends QuarantinedFile {
  readonly path: string;
  readonly diff: string;
  /** The call or task that was running when it changed; null when its traits changed. */
  readonly executionId: string | null;
  readonly reason: string;
}

/** A changed definition of an MCP server's tool that waits for an approval. */
export interface WaitingDefinition extends HeldDefinition {
  /** `server/tool` */
  readonly path: string;
  readonly diff: string;
  readonly reason: string;
}

export interface WorkdirTrust {
  readonly dataFolder: string;
  files(): TrustedFile[];
  /** What the folder's settings would widen, run or weaken once they are trusted. */
  widening(): readonly string[];
  /** The text of such a file; null when it can't be read. */
  read(file: string): string | null;
  /** `path` is relative to the workdir, as that of the other files. */
  quarantined(): WaitingFile[];
  /** What MCP servers say of their tools now, and did not when those were first seen. */
  definitions(): WaitingDefinition[];
  grant(
    who: string,
    what: {
      readonly files: readonly string[];
      readonly quarantined: readonly QuarantinedFile[];
      readonly definitions?: readonly WaitingDefinition[];
    },
  ): void;
  revoke(): boolean;
  adopt(): void;
  isToolFile(path: string): boolean;
  /** The person declined to trust these very contents when they were asked in place. */
  isDeclined(waiting: DeclinedFiles): boolean;
  decline(waiting: DeclinedFiles): void;
}

interface DeclinedFiles {
  readonly files: readonly { readonly path: string }[];
  readonly quarantined: readonly QuarantinedFile[];
  readonly definitions: readonly HeldDefinition[];
}

/** What a person decides about a folder's own files, for the command line and other doors. */
export function createTrust(workdir: string, env: Environment): WorkdirTrust {
  const folders = locateFolders(workdir, env);
  const toolFolder = readToolFolder(folders, env);
  const named = toolFolderOf(
    folders.workdir,
    readProjectSettings(folders.workdir)?.tools?.folder ?? defaultConfiguration.tools.folder,
  );
  const trust = openTrust({
    workdir: folders.workdir,
    path: folders.trust,
    // Also what would be the folder once the settings are trusted: both are looked at together.
    toolFolders: [...new Set([toolFolder, named])].filter(isBroughtAlong),
    programs: [
      ...hookFiles(readProjectSettings(folders.workdir) ?? {}, folders.workdir),
      ...hookFiles({ mcpServers: readSharedMcpServers(folders.workdir).servers }, folders.workdir),
    ],
    now: Date.now,
  });
  const quarantine = createQuarantine({
    folder: join(folders.workdir, toolFolder),
    store: openQuarantineFile(folders.quarantine),
    now: Date.now,
  });
  const pins = openDefinitionPins(pinsFile(folders.state));
  /** Whole contents were shown, with what the tools say of themselves. */
  function acceptShown(files: readonly string[]): void {
    const waiting = new Set(quarantine.list().map(({ file }) => file));
    const shown = files.flatMap((path) => {
      const file = relative(toolFolder, path);
      const text = isBroughtAlong(file) && !waiting.has(file) ? readText(join(folders.workdir, path)) : null;
      return text === null ? [] : [{ file, textHash: createHash("sha256").update(text).digest("hex") }];
    });
    if (shown.length > 0) quarantine.accept(shown);
  }

  function digestOf({ files, quarantined, definitions }: DeclinedFiles): string {
    const contents = files.map(({ path }) => [path, readText(join(folders.workdir, path))]);
    const held = quarantined.map(({ file, hash }) => [file, hash]);
    return createHash("sha256")
      .update(JSON.stringify([contents, held, ...definitions.map(({ hash }) => hash)]))
      .digest("hex");
  }

  return {
    dataFolder: folders.data,
    files: () => trust.files(),
    widening: () => narrowSettings(readProjectSettings(folders.workdir) ?? {}, defaultConfiguration).widening,
    read: (file) => readText(join(folders.workdir, file)),
    quarantined: () =>
      quarantine.list().map((entry) => ({
        ...entry,
        path: join(toolFolder, entry.file),
        diff: diffOf(entry),
        executionId: entry.cause.kind === "writer" ? entry.cause.id : null,
        reason: describeCause(entry.cause),
      })),
    definitions: () =>
      pins.held().map((change) => ({
        ...change,
        path: `${change.server}/${change.tool}`,
        diff: showChange(change),
        reason: `the MCP server "${change.server}" has changed what it says of its tool "${change.tool}"`,
      })),
    grant(who, { files, quarantined, definitions = [] }) {
      trust.grant(who, files);
      acceptShown(files);
      // Only what was shown: a file that changed since stays where it is.
      for (const { file, hash } of quarantined) quarantine.approve(file, hash);
      for (const change of definitions) pins.approve(change);
    },
    revoke: () => trust.revoke(),
    isToolFile: (path) => [toolFolder, named].some((folder) => path.startsWith(`${folder}/`)),
    isDeclined: (waiting) => readText(folders.declined) === digestOf(waiting),
    decline(waiting) {
      mkdirSync(folders.state, { recursive: true, mode: 0o700 });
      writeFileSync(folders.declined, digestOf(waiting), { mode: 0o600 });
    },
    adopt: () => adoptDataFolder(folders),
  };
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function diffOf({ file, before, after }: QuarantinedFile): string {
  const names = { from: before === null ? undefined : file, to: file };
  return unifiedDiff(before ?? "", after, names) ?? "The change is too long to show; look at the file itself.";
}
