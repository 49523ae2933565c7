import { existsSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locateFolders, scopeOf } from "../config/folders.ts";
import { createSandboxView } from "../config/sandbox-settings.ts";
import { systemClock, type Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { Environment } from "../core/process.ts";
import { createCatalog } from "../engine/catalog.ts";
import { createProtectedFinder } from "../guard/path/find-protected.ts";
import { ownCommand } from "../process/own-command.ts";
import { createProcesses, type Processes } from "../process/processes.ts";
import { childEnvironment } from "../process/run/child-environment.ts";
import { lookAtRollouts } from "../records/look-at-rollouts.ts";
import { isInstalled } from "../runtime/open-conversation.ts";
import { openMcpServers, type OpenedMcpServers } from "../runtime/open-mcp-servers.ts";
import { openNamedModel, type ChosenModel } from "../runtime/open-named-model.ts";
import { agentSettingsOf } from "../tasks/adapters/agent-entries.ts";
import { listAdapters } from "../tasks/adapters/list-adapters.ts";
import { listDamaged, listReleases } from "../tool-files/rollout/release/release-documents.ts";
import { isSafeMode, safeModeSentence } from "../tool-files/safe-mode.ts";
import { countOf } from "../tools/failure.ts";
import { checkDataFolder, checkDisk, checkHome, checkStateFolder } from "./check-folders.ts";
import { checkHooks, checkMode, checkRules } from "./check-permissions.ts";
import { checkPrograms } from "./check-programs.ts";
import { checkJournal, checkOthers, checkStore, lookOnce } from "./check-records.ts";
import { checkPathGuard, checkSandbox } from "./check-sandbox.ts";
import { checkSecrets, readSettings } from "./check-settings.ts";
import { checkTools } from "./check-tools.ts";
import { checkGrants, checkNewNames, checkQuarantine, checkTrust } from "./check-trust.ts";
import { type Check, ok, problem, warning } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

export type { Check } from "./doctor-check.ts";

export interface DiagnosisOptions {
  readonly workdir: string;
  readonly env: Environment;
  readonly clock?: Clock;
}

/** How long one look may take. */
const patienceMs = 6000;

/**
 * What works on this machine and in this workdir, and how to mend the rest. Never rejects: whatever is broken is a row of its
 * own. Writes nothing but a folder for temporary files that is gone afterwards.
 */
export async function diagnose({ workdir, env, clock = systemClock }: DiagnosisOptions): Promise<Check[]> {
  const machine = [checkNode(process.versions.node), checkPlatform(process.platform)];
  let folders: Subject["folders"];
  try {
    folders = locateFolders(workdir, env);
  } catch (thrown) {
    return [...machine, problem("workdir", messageOf(thrown), "Go to another folder, or name one with --workdir.")];
  }
  const { configuration, check: settings } = readSettings(folders, env);
  const subject: Subject = { folders, env, configuration, clock };
  const found = await Promise.all([checkByRunning(subject), ...lookAround(subject)]);
  return [...machine, settings, ...found.flat()];
}

type Checks = Check | readonly Check[];

/** What only running something can tell. */
async function checkByRunning(subject: Subject): Promise<Check[]> {
  const { clock, configuration } = subject;
  let probe: Probe;
  try {
    probe = openProbe(subject);
  } catch (thrown) {
    const what = `No sandbox and no program could be tried, because there is no place for temporary files: ${messageOf(thrown)}.`;
    return [problem("temporary files", what, "Set TMPDIR to a folder that can be written.")];
  }
  const { processes } = probe;
  const attempt = (name: string, work: () => Checks | Promise<Checks>): Promise<Checks> => within(clock, name, work);
  try {
    const found = await Promise.all([
      attempt("sandbox", () => checkSandbox(processes, configuration)),
      attempt("mode", () => checkMode(processes, subject)),
      attempt("rules", () => checkRules(processes, subject)),
      attempt("programs", () => checkPrograms(processes, subject)),
      attempt("agents", () => checkAgents(processes, subject)),
      attempt("mcp", () => checkMcpServers(processes, subject, patienceMs - 1000)),
    ]);
    return found.flat();
  } finally {
    await attempt("close", () => probe.close().then(() => []));
  }
}

function lookAround(subject: Subject): Promise<Checks>[] {
  const { folders, clock } = subject;
  const look = lookOnce(folders.database);
  const attempt = (name: string, work: () => Checks | Promise<Checks>): Promise<Checks> => within(clock, name, work);
  return [
    attempt("model", () => checkModel(subject)),
    attempt("files", () => checkPathGuard(subject)),
    attempt("hooks", () => checkHooks(subject)),
    attempt("safe mode", () => checkSafeMode(subject)),
    attempt("tools", () => checkTools(subject)),
    attempt("rollouts", () => checkRollouts(subject)),
    attempt("trust", () => checkTrust(subject)),
    attempt("quarantine", () => checkQuarantine(subject)),
    attempt("new names", () => checkNewNames(subject)),
    attempt("grants", () => checkGrants(subject)),
    attempt("secrets", () => checkSecrets(subject)),
    attempt("records", () => checkDataFolder(folders)),
    attempt("state", () => checkStateFolder(folders)),
    attempt("home folder", () => checkHome(subject.env)),
    attempt("disk", () => checkDisk(folders)),
    attempt("store", () => checkStore(subject, look)),
    attempt("shared store", () => checkSharedStore(subject)),
    attempt("log", () => checkJournal(subject, look)),
    attempt("others", () => checkOthers(subject, look)),
  ];
}

/** What is thrown, or does not end, becomes a row. */
async function within(clock: Clock, name: string, work: () => Checks | Promise<Checks>): Promise<Checks> {
  const { promise: late, resolve } = Promise.withResolvers<Check>();
  const stop = clock.after(patienceMs, () =>
    resolve(
      warning(
        name,
        `This could not be found out within ${patienceMs / 1000} s.`,
        "Try again; the machine may be busy.",
      ),
    ),
  );
  try {
    return await Promise.race([work(), late]);
  } catch (thrown) {
    return problem(name, messageOf(thrown), "Correct that and ask again.");
  } finally {
    stop();
  }
}

/** A row only when it is on. */
function checkSafeMode({ env }: Subject): readonly Check[] {
  if (!isSafeMode({}, env)) return [];
  const fix = "Find out in the log of the watchdog what crashed, then start without DECKHAND_SAFE_MODE.";
  return [warning("safe mode", safeModeSentence, fix)];
}

/** Which model a conversation would talk to. It is opened as a conversation would open it; nothing is sent to it. */
async function checkModel({ configuration, env, folders }: Subject): Promise<Check> {
  let chosen: ChosenModel;
  try {
    chosen = await openNamedModel({ configuration, env, workdir: folders.workdir }, undefined);
  } catch (thrown) {
    return problem("model", messageOf(thrown), "Correct that, or choose another model; see docs/models.md.");
  }
  if (chosen.model === null) {
    const fix = "Set a key such as ANTHROPIC_API_KEY, or start Ollama; docs/models.md has the other ways.";
    return warning("model", "No model is set: conversations and `deckhand run` need one.", fix);
  }
  return ok("model", `${chosen.model.id}, ${chosen.why}. Nothing was sent to it.`);
}

/** Which agents background tasks can be handed to. None is started. Throws what is wrong with the settings. */
function checkAgents(processes: Pick<Processes, "detached">, subject: Subject): Check {
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

/** The database that several machines share, where the settings name one. */
async function checkSharedStore({ configuration, folders }: Subject): Promise<Check[]> {
  const { url } = configuration.store;
  if (url === null) return [];
  const { inspectPostgres } = await import("../records/postgres/inspect-postgres.ts");
  try {
    const scope = scopeOf(configuration, folders);
    const state = await inspectPostgres(url, scope);
    const { name, version, newestVersion, workers, queuedTasks, waiting, unassignedTasks } = state;
    if (version === 0) return [ok("shared store", `${name} is empty; whoever uses it first makes its tables.`)];
    if (version < newestVersion) {
      return [ok("shared store", `${name}: version ${version}; the next use brings it to ${newestVersion}.`)];
    }
    const found = `${name}: version ${version}; project ${scope}: ${countOf(workers, "worker")}, ${countOf(queuedTasks, "task")} in the queue, ${countOf(waiting, "question")} for a person.`;
    const rows = [
      workers === 0 && queuedTasks > 0
        ? warning("shared store", found, "Start one: deckhand worker")
        : ok("shared store", found),
    ];
    if (unassignedTasks > 0) {
      const left = `An earlier version left ${countOf(unassignedTasks, "task")} without a project.`;
      rows.push(warning("shared store", left, "To see them: DECKHAND_STORE_SCOPE=unassigned deckhand tasks"));
    }
    return rows;
  } catch (thrown) {
    return [problem("shared store", messageOf(thrown), 'Correct "store.url", or leave it out to work alone.')];
  }
}

const neededNode = 24;

export function checkNode(version: string): Check {
  if (Number.parseInt(version, 10) >= neededNode) return ok("node", `Node ${version}.`);
  return problem(
    "node",
    `Node ${version} is too old: Deckhand needs ${neededNode} or newer.`,
    "Install a newer one from https://nodejs.org.",
  );
}

/** What the operating system lets us promise (G10). */
export function checkPlatform(platform: string): Check {
  switch (platform) {
    case "linux":
      return ok("platform", "Linux: every promise was tested on it.");
    case "darwin":
      return warning(
        "platform",
        "macOS: the sandbox (Seatbelt) was never run by a test, a process that leaves its tree can survive a stop, and a file may be swapped between check and use.",
        "For work that nobody watches use Linux, in a virtual machine or a container.",
      );
    default:
      return problem(
        "platform",
        `${platform} is not supported: Deckhand runs on Linux and macOS.`,
        platform === "win32" ? "Run it inside WSL 2." : "Run it on Linux or macOS.",
      );
  }
}

const mostNamed = 5;

/** What is known of the versions of tool files, and whether all of it can be understood. */
async function checkRollouts({ folders, configuration }: Subject): Promise<Check[]> {
  if (configuration.store.kind === "memory") return [];
  const store = await lookAtRollouts(folders.database);
  const damaged = listDamaged(store);
  if (damaged.length > 0) {
    const what = `What is known of the versions of ${nameSome(damaged)} is damaged.`;
    const fix = `The next command that loads the tool goes on with what was stable, as far as its history tells; see \`deckhand rollout history ${damaged[0]}\`.`;
    return [warning("rollouts", what, fix)];
  }
  const releases = listReleases(store);
  const mended = releases.filter(({ damage }) => damage).map(({ tool }) => tool);
  if (mended.length > 0) {
    const what = `What was known of the versions of ${nameSome(mended)} was damaged.`;
    return [
      warning("rollouts", what, `See whether the right one is stable: \`deckhand rollout explain ${mended[0]}\`.`),
    ];
  }
  const tried = releases.filter(({ rollout }) => rollout !== null && rollout.status !== "rolled_back");
  const trying =
    tried.length === 0 ? "nothing is being tried" : `tried now: ${nameSome(tried.map(({ tool }) => tool))}`;
  return [ok("rollouts", `Versions of ${countOf(releases.length, "tool file")} are known; ${trying}.`)];
}

function nameSome(tools: readonly string[]): string {
  const more = tools.length - mostNamed;
  return `${tools.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Starts each MCP server as a call would, and says what became of it. Nothing is kept of it. */
async function checkMcpServers(
  processes: Processes,
  { configuration, folders, env, clock }: Subject,
  withinMs: number,
): Promise<readonly Check[]> {
  const servers = await openMcpServers({
    configuration,
    workdir: folders.workdir,
    stateFolder: folders.state,
    isKept: false,
    catalog: createCatalog([]),
    processes,
    clock,
    env,
    childEnv: childEnvironment(env, { add: configuration.tools.environment }),
  });
  try {
    await servers.refresh(withinMs);
    return servers.status().map(describe);
  } finally {
    await servers.close();
  }
}

function describe(server: ReturnType<OpenedMcpServers["status"]>[number]): Check {
  const name = `mcp ${server.name}`;
  if (server.tools === null) {
    const what = server.problem ?? `The MCP server "${server.name}" (${server.where}) did not answer yet.`;
    return problem(name, what, `Correct "mcpServers.${server.name}", or switch it off with "disabled": true.`);
  }
  const what = `${countOf(server.tools, "tool")} over MCP ${server.protocolVersion ?? "of an unknown version"} (${server.where}).`;
  if (server.leftOut.length === 0) return ok(name, what);
  return warning(name, `${what} ${server.leftOut.join(" ")}`, "Ask whoever makes the server to correct that.");
}

interface Probe {
  readonly processes: Processes;
  close(): Promise<void>;
}

/**
 * Processes as the runtime would start them, with a run folder that is thrown away: whoever only asks leaves nothing
 * behind, neither in the workdir nor among the person's own files.
 */
function openProbe({ folders, configuration, env, clock }: Subject): Probe {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-doctor-"));
  const view = createSandboxView({
    folders,
    configuration,
    env,
    mode: () => configuration.permissions.mode,
    protectedFiles: () => [],
    findProtected: createProtectedFinder(folders.workdir),
  });
  const processes = createProcesses({
    runFolder: folder,
    clock,
    sandbox: configuration.sandbox.mode,
    view() {
      const { cache: _, readOnly, ...rest } = view();
      // To protect a name that is missing, an empty folder would have to stand there.
      return { ...rest, readOnly: readOnly.filter((path) => existsSync(path)) };
    },
  });
  return {
    processes,
    async close() {
      await processes.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
