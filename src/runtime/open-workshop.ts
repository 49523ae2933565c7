import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import type { Ledger } from "../core/ledger.ts";
import type { Catalog } from "../engine/catalog.ts";
import { invalidInput } from "../engine/guidance.ts";
import type { Trust } from "../gate/trust.ts";
import { createQuarantine } from "../gate/quarantine.ts";
import { openQuarantineFile } from "../gate/quarantine-file.ts";
import type { Processes } from "../process/processes.ts";
import { isWithin } from "../safety/path/path-name.ts";
import { writeTool } from "../tools/write.ts";
import { foldName } from "../workshop/assign-names.ts";
import type { ToolHosts } from "../workshop/host/tool-host.ts";
import { createManagementTools } from "../workshop/manage/management-tools.ts";
import { openVersionStore } from "../workshop/version-store.ts";
import { openWorkshop as openToolFiles, type Workshop } from "../workshop/workshop.ts";
import { createAdmission } from "./admit-tool-files.ts";
import { claimDataFolder } from "./claim-data-folder.ts";
import type { Configuration } from "./configuration.ts";
import type { Folders } from "./folders.ts";
import { isBroughtAlong } from "./open-trust.ts";
import { tellToolFiles } from "./tell-tool-files.ts";
import { userName } from "./user-name.ts";
import { watchToolFiles } from "./watch-tool-files.ts";

export interface WorkshopParts {
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
}

export interface OpenedWorkshop extends Workshop {
  /** A ledger that notices tool files which change while an agent's call runs. */
  watch(ledger: Ledger): Ledger;
  /** Before a call: looks at the file of a tool that comes from one. A promise when something must be loaded first. */
  prepareFor(toolName: string): Promise<void> | undefined;
  /** Whether a tool file is a tool of this name, also when it is disabled. */
  hasTool(name: string): boolean;
  /** What a person should know now, in sentences. */
  warnings(): readonly string[];
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

  async function openHosts(): Promise<ToolHosts> {
    const { createToolHosts } = await import("../workshop/host/create-tool-hosts.ts");
    // What lies there is run: like all of the data folder, no command can write it.
    const strippedFolder = join(folders.data, "versions", "stripped");
    return (hosts = createToolHosts({ processes, clock, workdir, env: parts.env, isStrict, strippedFolder }));
  }

  const disabled = new Set(configuration.tools.disabled.map(foldName));
  const workshop = openToolFiles({
    folder,
    shown: toolFolder,
    shelf: catalog,
    versions: openVersionStore({
      folder: join(folders.data, "versions"),
      tools: folder,
      shown: toolFolder,
      claim: () => claimDataFolder(folders),
    }),
    hosts: () => (opening ??= openHosts()),
    openAdmission: createAdmission({
      toolFolder,
      trust: isBroughtAlong(toolFolder) ? parts.trust : null,
      quarantine,
      who: userName(),
    }),
    ...(leadsAway(folder, workdir) || isStrict ? { whyRefused } : {}),
    explainInput: invalidInput,
    isDisabled: (name) => disabled.has(foldName(name)),
    now: () => clock.now(),
  });

  async function whyRefused(): Promise<string | null> {
    if (leadsAway(folder, workdir)) return `${toolFolder} is a link that leads out of the workdir.`;
    if (!isStrict || (await processes.sandbox()).kind !== "none") return null;
    return "In strict mode tool files need an OS sandbox, and this machine has none.";
  }

  if (parts.hasBuiltins) {
    const management = { workshop, shown: toolFolder, hosts: () => hosts, writeFile: writeTool };
    for (const tool of createManagementTools({ ...management, isWatched: () => quarantine.isWatching })) {
      if (!disabled.has(foldName(tool.name))) catalog.add(tool);
    }
  }
  return {
    ...workshop,
    watch: (ledger) => watchToolFiles(ledger, quarantine),
    prepareFor(name) {
      const found = catalog.resolve(String(name));
      // A tool file can't take a name that somebody has.
      if (found && !workshop.liveVersion(found.name)) return undefined;
      return workshop.refreshFor(found?.name ?? name);
    },
    hasTool: (name) => workshop.status().files.some(({ tool }) => tool !== null && foldName(tool) === foldName(name)),
    warnings: () => tellToolFiles(workshop.status()),
    async close() {
      await workshop.close();
      await (await opening)?.close();
    },
  };
}

/** The person may name any folder; one that came with the workdir must lie in it. */
function leadsAway(folder: string, workdir: string): boolean {
  try {
    return isWithin(workdir, folder) && !isWithin(workdir, realpathSync(folder));
  } catch {
    return false; // There is none yet.
  }
}
