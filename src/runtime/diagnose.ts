import { systemClock, type Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import { problem, warning, type Check } from "./diagnosis/check.ts";
import { checkDataFolder, checkDisk, checkStateFolder } from "./diagnosis/check-folders.ts";
import { checkNode, checkPlatform } from "./diagnosis/check-machine.ts";
import { checkHooks, checkMode, checkRules } from "./diagnosis/check-permissions.ts";
import { checkPrograms } from "./diagnosis/check-programs.ts";
import { checkJournal, checkOthers, checkStore, lookOnce } from "./diagnosis/check-records.ts";
import { checkPathGuard, checkSandbox } from "./diagnosis/check-sandbox.ts";
import { checkSecrets, readSettings } from "./diagnosis/check-settings.ts";
import { checkGrants, checkQuarantine, checkTrust } from "./diagnosis/check-trust.ts";
import { openProbe, type Probe } from "./diagnosis/open-probe.ts";
import type { Subject } from "./diagnosis/subject.ts";
import { locateFolders } from "./folders.ts";
import type { Environment } from "./load-configuration.ts";

export type { Check } from "./diagnosis/check.ts";

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
  const look = lookOnce(folders.database);
  const attempt = (name: string, work: () => Checks | Promise<Checks>): Promise<Checks> => within(clock, name, work);
  const withProbe = openOnce(() => openProbe(subject));
  try {
    const found = await Promise.all([
      attempt("sandbox", () => checkSandbox(withProbe().processes, configuration)),
      attempt("files", () => checkPathGuard(subject)),
      attempt("records", () => checkDataFolder(folders)),
      attempt("state", () => checkStateFolder(folders)),
      attempt("disk", () => checkDisk(folders)),
      attempt("store", () => checkStore(subject, look)),
      attempt("log", () => checkJournal(subject, look)),
      attempt("mode", () => checkMode(withProbe().processes, subject)),
      attempt("rules", () => checkRules(withProbe().processes, subject)),
      attempt("hooks", () => checkHooks(subject)),
      attempt("trust", () => checkTrust(subject)),
      attempt("quarantine", () => checkQuarantine(subject)),
      attempt("grants", () => checkGrants(subject)),
      attempt("secrets", () => checkSecrets(subject)),
      attempt("programs", () => checkPrograms(withProbe().processes, subject)),
      attempt("others", () => checkOthers(withProbe().processes, subject, look)),
    ]);
    return [...machine, settings, ...found.flat()];
  } finally {
    await within(clock, "close", async () => {
      await withProbe.close();
      return [];
    });
  }
}

type Checks = Check | readonly Check[];

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

/** Opened by the first who needs it; whoever comes after a failure gets the same failure. */
function openOnce(open: () => Probe): (() => Probe) & { close(): Promise<void> } {
  let opened: Probe | undefined;
  const get = (): Probe => (opened ??= open());
  return Object.assign(get, { close: async () => opened?.close() });
}
