import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import type { Catalog } from "../engine/catalog.ts";
import { invalidInput } from "../engine/guidance.ts";
import type { Trust } from "../gate/trust.ts";
import { createQuarantine, type Quarantine } from "../gate/quarantine.ts";
import { openQuarantineFile } from "../gate/quarantine-file.ts";
import type { Processes } from "../process/processes.ts";
import { isWithin } from "../safety/path/path-name.ts";
import { writeTool } from "../tools/write.ts";
import { foldName } from "../workshop/assign-names.ts";
import type { ToolHosts } from "../workshop/host/tool-host.ts";
import { createManagementTools } from "../workshop/manage/management-tools.ts";
import { readToolFile } from "../workshop/read-tool-file.ts";
import { openVersionStore, type VersionStore } from "../workshop/version-store.ts";
import { openWorkshop as openToolFiles, type Refusal, type Workshop } from "../workshop/workshop.ts";
import { createAdmission } from "./admit-tool-files.ts";
import { claimDataFolder } from "./claim-data-folder.ts";
import type { Configuration } from "./configuration.ts";
import type { Folders } from "./folders.ts";
import { createLazyRollouts, type LazyRollouts, type LazyRolloutsDeps } from "./lazy-rollouts.ts";
import { isBroughtAlong } from "./open-trust.ts";
import { tellToolFiles } from "./tell-tool-files.ts";
import { userName } from "./user-name.ts";

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
  /** Notices tool files that change while an agent's call runs. */
  readonly quarantine: Quarantine;
  /** Decide which content of a tool calls take. */
  readonly rollouts: LazyRollouts;
  /** Before a call: looks at the file of a tool that comes from one. A promise when something must be loaded first. */
  prepareFor(toolName: string): Promise<void> | undefined;
  /** Whether a tool file is a tool of this name, also when it is disabled. */
  hasTool(name: string): boolean;
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
  const quarantine = createQuarantine({
    folder,
    store: openQuarantineFile(folders.quarantine),
    now: () => clock.now(),
  });
  let hosts: ToolHosts | null = null;
  let opening: Promise<ToolHosts> | undefined;

  async function startHosts(): Promise<ToolHosts> {
    const { createToolHosts } = await import("../workshop/host/create-tool-hosts.ts");
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
    // While an agent's call runs, whatever changes is taken for its work.
    if (quarantine.isWatching) return false;
    const present = readToolFile(folder, fileName);
    const kept = versions.find(fileName, content);
    if (!present.ok || present.snapshot.hash !== before || !kept) return false;
    replaceFile(join(folder, fileName), readFileSync(kept.path));
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
      trust: isBroughtAlong(toolFolder) ? parts.trust : null,
      quarantine,
      who: userName(),
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
    for (const tool of createManagementTools({ ...management, isWatched: () => quarantine.isWatching })) {
      if (!disabled.has(foldName(tool.name))) catalog.add(tool);
    }
  }
  return {
    ...workshop,
    quarantine,
    rollouts,
    prepareFor(name) {
      const found = catalog.resolve(String(name));
      // A tool file can't take a name that somebody has.
      if (found && !workshop.liveVersion(found.name)) return undefined;
      return workshop.refreshFor(found?.name ?? name);
    },
    hasTool: (name) => workshop.status().files.some(({ tool }) => tool !== null && foldName(tool) === foldName(name)),
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
