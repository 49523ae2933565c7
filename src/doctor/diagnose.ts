import { systemClock, type Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import { problem, warning, type Check } from "./doctor-check.ts";
import { checkAgents } from "./check-agents.ts";
import { checkDataFolder, checkDisk, checkHome, checkStateFolder } from "./check-folders.ts";
import { checkNode, checkPlatform } from "./check-machine.ts";
import { checkMcpServers } from "./check-mcp.ts";
import { checkModel } from "./check-model.ts";
import { checkHooks, checkMode, checkRules } from "./check-permissions.ts";
import { checkPrograms } from "./check-programs.ts";
import { checkJournal, checkOthers, checkStore, lookOnce } from "./check-records.ts";
import { checkRollouts } from "./check-rollouts.ts";
import { checkSafeMode } from "./check-safe-mode.ts";
import { checkSharedStore } from "./check-shared-store.ts";
import { checkPathGuard, checkSandbox } from "./check-sandbox.ts";
import { checkSecrets, readSettings } from "./check-settings.ts";
import { checkTools } from "./check-tools.ts";
import { checkGrants, checkNewNames, checkQuarantine, checkTrust } from "./check-trust.ts";
import { openProbe, type Probe } from "./open-probe.ts";
import type { Subject } from "./doctor-subject.ts";
import { locateFolders } from "../config/folders.ts";
import type { Environment } from "../core/environment.ts";

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
