import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import type { Clock } from "../core/clock.ts";
import type { Catalog } from "../engine/catalog.ts";
import { invalidInput } from "../engine/input-errors.ts";
import type { Trust } from "../permissions/trust/trust.ts";
import { createQuarantine, type Quarantine, type WritingProcess } from "../permissions/trust/quarantine.ts";
import { openQuarantineFile } from "../permissions/trust/quarantine-file.ts";
import type { Processes } from "../process/processes.ts";
import { isWithin } from "../guard/path/path-name.ts";
import { writeTool } from "../tools/files/write.ts";
import { foldName } from "../tool-files/scan/assign-names.ts";
import type { ToolHosts } from "../tool-files/host/tool-host.ts";
import { createManagementTools } from "../tool-files/manage/management-tools.ts";
import { readToolFile } from "../tool-files/scan/read-tool-file.ts";
import { openVersionStore, type VersionStore } from "../tool-files/versions/version-store.ts";
import { openWorkshop as openToolFiles, type Refusal, type Workshop } from "../tool-files/open-tool-files.ts";
import { createAdmission } from "../permissions/trust/admit-tool-files.ts";
import { claimDataFolder } from "../records/claim-data-folder.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Folders } from "../config/folders.ts";
import { createLazyRollouts, type LazyRollouts, type LazyRolloutsDeps } from "./lazy-rollouts.ts";
import { isBroughtAlong } from "../permissions/trust/open-trust.ts";
import { describeProblem, type FileStatus } from "../tool-files/tool-file-status.ts";
import { tellToolFiles } from "../tool-files/describe-tool-files.ts";
import { userName } from "../config/user-name.ts";

export interface WorkshopParts extends LazyRolloutsDeps {
  readonly configuration: Configuration;
  readonly folders: Folders;
  /** Relative to the workdir. */
  readonly toolFolder: string;
  readonly catalog: Catalog;
  readonly processes: Processes;
  readonly trust: Trust;
  readonly clock: Clock;
  /** What tools get of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** False: no tools that manage tools. */
  readonly hasBuiltins: boolean;
  /** Why no tool file may be used at all; left out: they may. */
  readonly refusal?: string;
}

export interface OpenedWorkshop extends Workshop {
  /** Holds tool files that changed while something of ours could write them. */
  readonly quarantine: Quarantine;
  /** Whether a sandbox keeps commands from writing tool files. */
  isGuarded(): Promise<boolean>;
  /** Decide which content of a tool calls take. */
  readonly rollouts: LazyRollouts;
  /** Before a call: looks at the file of a tool that comes from one. A promise when something must be loaded first. */
  prepareFor(toolName: string): Promise<void> | undefined;
  /** Whether a tool file is a tool of this name, also when it is disabled. */
  hasTool(name: string): boolean;
  /** Why a file that could be this tool is none, in a sentence; undefined when there is no such file. */
  whyMissing(name: string): string | undefined;
  /** What holds processes is another from now on: see `ToolHosts`. */
  renewHosts(): void;
  /** What a person should know now, in sentences. */
  warnings(): readonly string[];
  /** For contents that are tried before any call takes them. */
  readonly versions: VersionStore;
  openHosts(): Promise<ToolHosts>;
  /** Puts a content that was kept into its file, if the file has what it had; false when it was left as it is. */
  writeFile(fileName: string, from: { readonly before: string; readonly content: string }): boolean;
}

/** The tool files of the workdir, put together. Nothing is started and nothing written before there is one. */
export function openWorkshop(parts: WorkshopParts): OpenedWorkshop {
  const { configuration, folders, toolFolder, catalog, processes, clock } = parts;
  const { workdir } = folders;
  const folder = join(workdir, toolFolder);
  const isStrict = configuration.permissions.strictWorkdirOnly;
  const who = userName();
  const trust = isBroughtAlong(toolFolder) ? parts.trust : null;
  const trustedName = (file: string): string => `${toolFolder}/${file}`;
  const quarantine = createQuarantine({
    folder,
    store: openQuarantineFile(folders.quarantine),
    now: () => clock.now(),
    processes: () => listWritingProcesses(processes, join(folders.data, "tasks")),
    isKnown: ({ file, hash }) => trust?.readTools().knows(trustedName(file), hash) ?? false,
    textBefore(file) {
      const good = versions.findLastGood(file);
      return good ? readFileSync(good.path, "utf8") : null;
    },
    onAccepted({ file, hash }, isNew) {
      const tools = trust?.readTools();
      // Of a file that came with the folder only a part was shown.
      if (isNew || tools?.covers(trustedName(file))) tools?.note(who, [{ file: trustedName(file), hash }]);
    },
  });
  let hosts: ToolHosts | null = null;
  let opening: Promise<ToolHosts> | undefined;

  async function startHosts(): Promise<ToolHosts> {
    const { createToolHosts } = await import("../tool-files/host/create-tool-hosts.ts");
    // What lies there is run: like all of the data folder, no command can write it.
    const strippedFolder = join(folders.data, "versions", "stripped");
    return (hosts = createToolHosts({
      processes,
      clock,
      workdir,
      env: parts.env,
      isStrict,
      strippedFolder,
      whyUnusable: (file) => workshop.mend(file),
    }));
  }

  const openHosts = (): Promise<ToolHosts> => (opening ??= startHosts());
  const disabled = new Set(configuration.tools.disabled.map(foldName));
  const versions = openVersionStore({
    folder: join(folders.data, "versions"),
    tools: folder,
    shown: toolFolder,
    claim: () => claimDataFolder(folders),
  });

  function writeFile(
    fileName: string,
    { before, content }: { readonly before: string; readonly content: string },
  ): boolean {
    const present = readToolFile(folder, fileName);
    const kept = versions.find(fileName, content);
    if (!present.ok || present.snapshot.hash !== before || !kept) return false;
    const bytes = readFileSync(kept.path);
    const hash = createHash("sha256").update(bytes).digest("hex");
    // It was in use before: a call that runs meanwhile did not write it.
    trust?.readTools().note(who, [{ file: trustedName(fileName), hash }]);
    const textHash = createHash("sha256").update(bytes.toString()).digest("hex");
    quarantine.accept([{ file: fileName, textHash }]);
    replaceFile(join(folder, fileName), bytes);
    return true;
  }

  const { releases: rollouts, ...workshop } = openToolFiles({
    folder,
    shown: toolFolder,
    shelf: catalog,
    versions,
    hosts: openHosts,
    openAdmission: createAdmission({
      toolFolder,
      trust,
      quarantine,
      who,
    }),
    ...(parts.refusal || leadsAway(folder, workdir) || isStrict ? { whyRefused } : {}),
    explainInput: invalidInput,
    isDisabled: (name) => disabled.has(foldName(name)),
    createReleases: (files) => createLazyRollouts(parts, { ...files, versions, openHosts, writeFile }),
    now: () => clock.monotonic(),
  });

  async function whyRefused(): Promise<Refusal | null> {
    if (parts.refusal) return { message: parts.refusal, hint: null };
    if (leadsAway(folder, workdir)) {
      const message = `${toolFolder} is a link that leads out of the workdir.`;
      return { message, hint: "Put the folder itself there." };
    }
    if (!isStrict || (await processes.sandbox()).kind !== "none") return null;
    return {
      message: "In strict mode tool files need an OS sandbox, and this machine has none.",
      hint: "Install bubblewrap, or switch strict mode off.",
    };
  }

  if (parts.hasBuiltins) {
    const management = { workshop, shown: toolFolder, hosts: () => hosts, writeFile: writeTool };
    for (const tool of createManagementTools(management)) {
      if (!disabled.has(foldName(tool.name))) catalog.add(tool);
    }
  }
  return {
    ...workshop,
    quarantine,
    async isGuarded() {
      const writable = configuration.sandbox.writable.map((path) => resolve(workdir, path));
      if (writable.some((path) => isWithin(path, folder))) return false;
      // A folder that is missing, or is the workdir itself, can't be mounted over.
      const isMounted = !isBroughtAlong(toolFolder) || (toolFolder !== "." && existsSync(folder));
      return isMounted && (await processes.sandbox()).kind !== "none";
    },
    rollouts,
    prepareFor(name) {
      const found = catalog.resolve(String(name));
      // A tool file can't take a name that somebody has.
      if (found && !workshop.liveVersion(found.name)) return undefined;
      return workshop.refreshFor(found?.name ?? name);
    },
    hasTool: (name) => workshop.status().files.some(({ tool }) => tool !== null && foldName(tool) === foldName(name)),
    whyMissing(name) {
      const { files } = workshop.status();
      // What a file that was not loaded calls itself is not known; its name is the best guess.
      const isMeant = ({ file, tool }: FileStatus): boolean =>
        foldName(tool ?? basename(file, extname(file))) === foldName(name);
      const problem = files.filter(({ tool }) => tool === null).find(isMeant);
      if (problem) return describeProblem(problem) ?? undefined;
      const waiting = files.filter(
        ({ tool, state }) => tool === null && (state === "untrusted" || state === "quarantined"),
      );
      if (waiting.length === 0) return undefined;
      const names = waiting
        .slice(0, 5)
        .map(({ file }) => file)
        .join(", ");
      return `Tool files that wait for your approval may have it: ${names}. Look at them, then run \`deckhand trust\`.`;
    },
    renewHosts: () => hosts?.renew(),
    warnings: () => tellToolFiles(workshop.status()),
    versions,
    openHosts,
    writeFile,
    async close() {
      await workshop.close();
      await (await opening)?.close();
    },
  };
}

/** Readers see the one or the other; it keeps its permissions. */
function replaceFile(path: string, content: Buffer): void {
  const { mode } = statSync(path);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode: mode & 0o777 });
  renameSync(temporary, path);
}

/** The person may name any folder; one that came with the workdir must lie in it. */
function leadsAway(folder: string, workdir: string): boolean {
  try {
    return isWithin(workdir, folder) && !isWithin(workdir, realpathSync(folder));
  } catch {
    return false; // There is none yet.
  }
}

/** Background processes without a sandbox, and the agents of tasks, which bring their own if any. */
function listWritingProcesses(processes: Processes, tasksFolder: string): WritingProcess[] {
  const background = processes.background
    .list()
    .filter(({ isSandboxed }) => !isSandboxed)
    .map(({ executionId: id, startedAt, endedAt }) => ({ id, tool: "bash", startedAt, endedAt }));
  const runs = namesIn(tasksFolder).flatMap((id) =>
    namesIn(join(tasksFolder, id)).flatMap((name) => (name.startsWith("run-") ? [[id, name] as const] : [])),
  );
  const tasks = runs.map(([id, name]) => {
    const folder = join(tasksFolder, id, name);
    // The exit status is the last file that is put into it.
    const { birthtimeMs, mtimeMs } = statSync(folder);
    const isRunning = processes.detached.look(folder).state === "running";
    return { id, tool: null, startedAt: birthtimeMs, endedAt: isRunning ? null : mtimeMs };
  });
  return [...background, ...tasks];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // No task was ever started here.
  }
}
