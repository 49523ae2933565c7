import type { Processes } from "../process/processes.ts";
import { listAdapters } from "../tasks/adapters/list-adapters.ts";
import { agentSettingsOf } from "../tasks/adapters/agent-entries.ts";
import { isInstalled } from "../runtime/offered-tools.ts";
import { ownCommand } from "../process/own-command.ts";
import { ok, warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

/** Which agents background tasks can be handed to. None is started. Throws what is wrong with the settings. */
export function checkAgents(processes: Pick<Processes, "detached">, subject: Subject): Check {
  const { configuration, folders, env } = subject;
  const adapters = [...listAdapters({ own: ownCommand(), agents: agentSettingsOf(configuration.agents) }).values()];
  const isHere = (program: string): boolean => isInstalled(processes, program, { cwd: folders.workdir, env });
  const here = adapters.filter(({ program }) => isHere(program));
  const missing = adapters.filter((adapter) => !here.includes(adapter));
  const bypassing = here.filter(({ name }) => configuration.agents[name]?.allow_bypass === true);
  const what = [
    `${here.map(({ name }) => name).join(", ") || "None"} can be given background tasks.`,
    ...(missing.length === 0 ? [] : [`Not installed: ${missing.map(({ name }) => name).join(", ")}.`]),
    ...bypassing.map(
      ({ name }) => `Tasks may switch off the permission checks of ${name} (agents.${name}.allow_bypass).`,
    ),
  ].join(" ");
  // Those that are known anyway nobody has to have; one that the settings name was meant to be there.
  const wanted = missing.filter(({ name }) => configuration.agents[name] !== undefined);
  if (wanted.length === 0) return ok("agents", what);
  return warning("agents", what, wanted.map(({ name, install }) => `For ${name}: ${install}.`).join(" "));
}
