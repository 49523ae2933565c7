import { systemClock } from "../core/clock.ts";
import { nearest } from "../core/text.ts";
import type { TaskDesk } from "../core/task.ts";
import { createCatalog, type Catalog } from "../engine/catalog.ts";
import type { EngineLimits } from "../engine/time-limits.ts";
import type { Processes } from "../process/processes.ts";
import type { Masker } from "../guard/secrets/create-masker.ts";
import { judgeStrictCommand } from "../guard/strict-shell/strict-command.ts";
import type { StrictShell } from "../tools/shell/run-program.ts";
import { createBuiltinTools } from "../tools/builtin.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Folders } from "../config/folders.ts";
import { createKeepOutput } from "../records/keep-output.ts";
import type { Analysis } from "../permissions/analyse-once.ts";
import type { RuntimeConfig } from "./runtime.ts";

export interface CatalogParts {
  readonly configuration: Configuration;
  readonly folders: Folders;
  readonly processes: Processes;
  readonly analysis: Analysis;
  readonly masker: Masker;
  readonly config: RuntimeConfig;
  /** Background agents; opened when a call first needs them. */
  readonly desk: () => Promise<TaskDesk>;
}

/** Every tool there is: a disabled one is in no list, has no name, and can't be called. */
export function openCatalog(parts: CatalogParts): {
  readonly catalog: Catalog;
  /** Names that are disabled and no tool's here; a tool file may still have one. */
  readonly unknown: readonly string[];
} {
  const { configuration, config, folders, processes, analysis } = parts;
  const isStrict = configuration.permissions.strictWorkdirOnly;
  const shell = {
    processes,
    keepOutput: createKeepOutput(folders.outputs, parts.masker),
    maxOutputBytes: configuration.limits.maxOutputBytes,
    analyse: (command: string) => ({ isReadOnly: analysis.isReadOnly(command) }),
    ...(isStrict ? { strict: createStrictShell(folders.workdir, processes) } : {}),
  };
  const { env = process.env, clock = systemClock } = config;
  const builtins = createBuiltinTools({
    shell,
    web: { settings: configuration.tools.web, env, clock },
    tasks: { desk: parts.desk, clock, door: "agent", runsHere: configuration.store.url === null },
  });
  const catalog = createCatalog([...(config.builtins === false ? [] : builtins), ...(config.tools ?? [])]);
  if (isStrict) catalog.remove("run_python");
  const unknown: string[] = [];
  for (const name of configuration.tools.disabled) {
    const canonical = catalog.canonicalName(name);
    if (canonical !== undefined) catalog.remove(canonical);
    else unknown.push(name);
  }
  return { catalog, unknown };
}

function createStrictShell(workdir: string, processes: Processes): StrictShell {
  return async (command, cwd) => {
    const { kind } = await processes.sandbox();
    return judgeStrictCommand(command, { workdir, cwd, sandboxed: kind !== "none" });
  };
}

export function tellUnknown(name: string, catalog: Catalog): string {
  const [meant] = nearest(
    name,
    catalog.list().map((tool) => tool.name),
    1,
  );
  const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
  return `tools.disabled names "${name}", which is not a tool here${hint}`;
}

/** People write the name they know; the engine asks by the canonical one. */
export function limitsByCanonicalName<Limits extends EngineLimits>(limits: Limits, catalog: Catalog): Limits {
  const byName = (each: Readonly<Record<string, number>>): Record<string, number> =>
    Object.fromEntries(Object.entries(each).map(([name, limit]) => [catalog.canonicalName(name) ?? name, limit]));
  return { ...limits, timeoutMs: byName(limits.timeoutMs), idleMs: byName(limits.idleMs) };
}
