import { isDataFile, printsNothing } from "../data-files.ts";
import type { Finding } from "../finding.ts";
import { type Location, locate } from "../paths.ts";
import type { Place } from "../place.ts";
import type { Redirect, SimpleCommand, Word } from "../simple-command.ts";
import { findWrittenPaths } from "../written-paths.ts";

const reasons: Partial<Record<Location, readonly [string, string]>> = {
  system: ["write.system", "It changes a folder of the operating system."],
  protected: ["write.protected", "It changes a file that starts programs or keeps keys."],
  device: ["write.device", "It writes to a device directly, which destroys what is stored on it."],
  socket: ["network.socket", "The shell opens a network connection of its own, as a reverse shell does."],
};

/** Where redirects and arguments write to. */
export function judgeWrites(command: SimpleCommand, place: Place): Finding[] {
  const findings: Finding[] = [];
  for (const redirect of command.redirects) {
    const location = locateRedirect(redirect, place);
    if (location !== null) add(findings, location, command);
    if (empties(redirect, command)) {
      const reason = "It overwrites a file with nothing.";
      findings.push({ verdict: "danger", rule: "delete.emptied", reason, command: command.source });
    }
  }
  for (const path of findWrittenPaths(command)) {
    if (isRemote(path)) continue;
    const location = locate(path, place);
    // An empty `.ssh` folder lets nobody in.
    if (location !== "socket" && !(command.name === "mkdir" && location === "protected"))
      add(findings, location, command);
  }
  return findings;
}

/** `> data.db`: the file is there, and empty. What a name in a variable means is not known. */
function empties({ operator, target, fd }: Redirect, command: SimpleCommand): boolean {
  if ((operator !== ">" && operator !== ">|" && operator !== "&>") || (fd !== null && fd !== 1)) return false;
  return (
    (target.kind === "literal" ? isDataFile(target.text) : command.name === "" || command.name === ":") &&
    printsNothing(command)
  );
}

function locateRedirect({ operator, target }: Redirect, place: Place): Location | null {
  const location = locate(target, place);
  if (operator === "<" || operator === "<&") return location === "socket" ? location : null;
  return operator === ">&" ? null : location;
}

function add(findings: Finding[], location: Location, command: SimpleCommand): void {
  const entry = reasons[location];
  if (entry === undefined) return;
  const [rule, reason] = entry;
  if (findings.some((finding) => finding.rule === rule)) return;
  findings.push({ verdict: "danger", rule, reason, command: command.source });
}

/** `host:path` of scp and rsync. */
function isRemote(word: Word): boolean {
  return /^[^/]*[A-Za-z0-9_\]]:/.test(word.text) && !/^[A-Za-z]:/.test(word.text);
}
