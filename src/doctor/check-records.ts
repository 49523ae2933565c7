import { readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "../core/errors.ts";
import type { ProcessIdentity } from "../core/process.ts";
import { inspectJournal, type JournalState } from "../records/audit-log/inspect-log.ts";
import { findLogProblem } from "../records/audit-log/log-file.ts";
import { currentName } from "../records/audit-log/segments.ts";
import { isAlive } from "../process/stop/process-identity-check.ts";
import { isPrivateName } from "../process/sandbox/private-folder.ts";
import { readRecord } from "../process/run/run-folder.ts";
import { openProcessTable } from "../process/stop/process-table.ts";
import { inspectDatabase, type DatabaseState } from "../records/sqlite/inspect-database.ts";
import { countOf, formatBytes } from "../tools/failure.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Folders } from "../config/folders.ts";
import { ok, problem, warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

/** The store and what it tells: questions that wait. `look` is handed on to those who ask further. */
export function checkStore({ folders, configuration }: Subject, look: () => DatabaseState | undefined): Check[] {
  if (configuration.store.kind === "memory") {
    const fix = 'Set "store.kind" to "sqlite" to keep records.';
    return [warning("store", "Records are kept in memory only and end with the process; there is no log either.", fix)];
  }
  const found = look();
  if (!found) return [ok("store", `${folders.database} is not there yet; the first call makes it.`)];
  return [tellStore(folders, found), tellInbox(found.waiting)];
}

function tellStore({ database }: Folders, found: DatabaseState): Check {
  const { version, newestVersion, bytes, isChecked, missing } = found;
  if (missing.tables.length > 0) {
    const what = `${database}: ${missing.tables.join(", ")} ${missing.tables.length === 1 ? "is" : "are"} missing, and what was in there is lost.`;
    return problem(
      "store",
      what,
      "Put a copy of the file back if you have one; else the next call creates what is missing, empty.",
    );
  }
  const form =
    version < newestVersion ? `version ${version} (the next call brings it to ${newestVersion})` : `version ${version}`;
  const checked = isChecked ? "a quick check found it whole" : "too large for a quick check";
  const what = `${database}: ${form}, ${formatBytes(bytes)}, ${checked}.`;
  if (missing.indexes.length === 0) return ok("store", what);
  const fix = "Nothing is lost: the next call creates it again.";
  return warning("store", `${what} It lacks the index ${missing.indexes.join(", ")}.`, fix);
}

function tellInbox(waiting: number): Check {
  if (waiting === 0) return ok("inbox", "Nothing waits for an answer.");
  const what = waiting === 1 ? "One question waits for your answer." : `${waiting} questions wait for your answer.`;
  return warning("inbox", what, "deckhand inbox");
}

/** The log: where it is, its end, and settings that make it weaker evidence. Not a proof: `log verify` reads all of it. */
export function checkJournal({ folders, configuration }: Subject, look: () => DatabaseState | undefined): Check[] {
  if (configuration.store.kind === "memory") return [];
  const weak = tellWeakness(configuration);
  return [tellJournal(folders, look), ...(weak ? [weak] : [])];
}

function tellJournal(folders: Folders, look: () => DatabaseState | undefined): Check {
  const path = join(folders.logs, currentName);
  let found: JournalState;
  try {
    found = inspectJournal(folders.logs, headsOf(look));
  } catch (thrown) {
    return problem("log", `${path} can't be read: ${messageOf(thrown)}.`, "Look at what lies there, and move it away.");
  }
  const { segments, bytes, lastAt, problems, remarks } = found;
  if (problems.length > 0) {
    return problem(
      "log",
      `${path}: ${problems.join("; ")}.`,
      "Run `deckhand log verify`, and keep the files as they are: they are evidence.",
    );
  }
  const unwritable = findLogProblem(folders.logs);
  if (unwritable !== null)
    return problem("log", unwritable, "Make it writable; until then nothing with an effect runs.");
  if (segments === 0) return ok("log", `${path} is not there yet; the first call makes it.`);
  const last = lastAt === null ? "" : `, last line at ${lastAt}`;
  const what = `${path}: ${countOf(segments, "file")}, ${formatBytes(bytes)}${last}; its end fits what the store remembers.`;
  return remarks.length === 0
    ? ok("log", what)
    : warning("log", `${what} ${capital(remarks.join("; "))}.`, "deckhand log verify");
}

/** A store that can't be read has a row of its own. */
function headsOf(look: () => DatabaseState | undefined): DatabaseState["heads"] {
  try {
    return look()?.heads ?? [];
  } catch {
    return [];
  }
}

function tellWeakness({ log }: Configuration): Check | null {
  const weak = [
    ...(log.audit ? [] : ['"log.audit" is off: of what calls gave back only a summary is kept']),
    ...(log.onFailure === "refuse"
      ? []
      : ['"log.on_failure" is "continue": a call runs also when its line can\'t be written']),
    ...(log.fsync === "never" ? ['"log.fsync" is "never": a power failure can take the last lines'] : []),
  ];
  if (weak.length === 0) return null;
  return warning(
    "log settings",
    `${capital(weak.join("; "))}.`,
    "Take these settings back where the log has to serve as evidence.",
  );
}

function capital(text: string): string {
  return text.replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

/** Who else works here now: by the records of calls, and by what their processes left in the run folder. */
export function checkOthers({ folders }: Subject, look: () => DatabaseState | undefined): Check {
  const table = openProcessTable(process.platform);
  const known = [...ownersOf(look), ...ownersIn(folders.run, table.bootId)];
  const alive = new Set(known.filter((owner) => isAlive(table, owner)).map(({ pid }) => pid));
  alive.delete(process.pid);
  if (alive.size === 0) return ok("others", "No other runtime is seen at work here.");
  const pids = [...alive].sort((a, b) => a - b).join(", ");
  return ok("others", `${countOf(alive.size, "other runtime")} at work here (pid ${pids}); they share store and log.`);
}

function ownersOf(look: () => DatabaseState | undefined): readonly ProcessIdentity[] {
  try {
    return look()?.owners ?? [];
  } catch {
    return [];
  }
}

function ownersIn(run: string, bootId: string): ProcessIdentity[] {
  let names: string[];
  try {
    names = readdirSync(run);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw thrown;
  }
  return names.slice(0, 1000).flatMap((name) => {
    if (!isPrivateName(name)) return readRecord(join(run, name))?.owner ?? [];
    const [, pid, startTime = ""] = name.split(",");
    return [{ pid: Number(pid), startTime, bootId }];
  });
}

/** The store is asked once, and several tell of it. */
export function lookOnce(database: string): () => DatabaseState | undefined {
  let found: { readonly state: DatabaseState | undefined } | { readonly thrown: unknown } | undefined;
  return () => {
    found ??= attempt();
    if ("thrown" in found) throw found.thrown;
    return found.state;
  };

  function attempt(): NonNullable<typeof found> {
    try {
      return { state: inspectDatabase(database) };
    } catch (thrown) {
      return { thrown };
    }
  }
}
