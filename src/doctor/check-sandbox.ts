import { existsSync, readFileSync } from "node:fs";
import type { SandboxReport } from "../core/call.ts";
import { findNamespaceProgram } from "../process/sandbox/namespace.ts";
import type { Processes } from "../process/processes.ts";
import { openPathGuard } from "../guard/path/open-path-guard.ts";
import type { Configuration } from "../config/configuration.ts";
import { ok, problem, warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

/** What the operating system holds: files, network, processes. Found out by running it. */
export async function checkSandbox(
  processes: Pick<Processes, "sandbox" | "sandboxProblem">,
  configuration: Configuration,
): Promise<Check[]> {
  const found = await processes.sandbox();
  const lacks = await processes.sandboxProblem();
  return [
    judgeSandbox(found, lacks, configuration.sandbox.mode),
    judgeStop(found, process.platform),
    judgeStrict(found, configuration.permissions.strictWorkdirOnly),
  ];
}

export function judgeSandbox(
  found: SandboxReport,
  lacks: string | null,
  setting: Configuration["sandbox"]["mode"],
): Check {
  const { kind, profile, network } = found;
  if (kind !== "none") {
    const reach = network ? "they can reach the network" : "they can't reach the network";
    const what = `${kind}, profile ${profile}, tried just now. Commands can write only to the workdir, to a /tmp of their own and to what "sandbox.writable" names; keys in the home folder are hidden; ${reach}.`;
    return lacks === null ? ok("sandbox", what) : warning("sandbox", `${what} ${lacks}`, adviseSandbox());
  }
  const why = lacks ?? "Commands run without a sandbox.";
  if (setting === "require") return problem("sandbox", `${why} No command can run.`, adviseSandbox());
  const what = `${why} They can write wherever you can, read your keys, and use the network; only the questions before a command stand in between.`;
  return warning("sandbox", what, setting === "off" ? 'Set "sandbox" to "auto", or to "require".' : adviseSandbox());
}

/** What most often stands in the way. */
function adviseSandbox(): string {
  if (process.platform !== "linux") return "Nothing can be done about it here; on Linux bubblewrap holds all of it.";
  if (findNamespaceProgram() === null) {
    return "Install bubblewrap: `apt install bubblewrap`, `dnf install bubblewrap`, `pacman -S bubblewrap` or `apk add bubblewrap`.";
  }
  if (kernelSays("kernel/apparmor_restrict_unprivileged_userns", "1")) {
    return "AppArmor keeps programs from making user namespaces: give /usr/bin/bwrap a profile that allows `userns`, or run `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`.";
  }
  if (kernelSays("kernel/unprivileged_userns_clone", "0")) {
    return "The kernel keeps users from making namespaces: `sudo sysctl kernel.unprivileged_userns_clone=1`.";
  }
  if (kernelSays("user/max_user_namespaces", "0")) {
    return "The kernel allows no user namespace: `sudo sysctl user.max_user_namespaces=10000`.";
  }
  if (existsSync("/.dockerenv") || existsSync("/run/.containerenv")) {
    return "A container keeps it from making namespaces: start the container with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`, or see the container itself as the sandbox.";
  }
  return "See what `bwrap --ro-bind / / --unshare-all true` says here.";
}

function kernelSays(setting: string, value: string): boolean {
  try {
    return readFileSync(`/proc/sys/${setting}`, "utf8").trim() === value;
  } catch {
    return false;
  }
}

/** How sure it is that a stopped command is gone. */
export function judgeStop({ kind }: SandboxReport, platform: string): Check {
  if (kind === "bwrap") {
    return ok("stop", "A stopped command takes all its processes along, also those that left its group or session.");
  }
  if (platform === "linux") {
    return warning(
      "stop",
      "The processes of a stopped command are found by their tree, sessions, a mark in the environment and their output. One that drops all of these can live on unseen; whatever is found alive is named as a survivor.",
      "A working sandbox ends them all with their namespace.",
    );
  }
  return warning(
    "stop",
    "The processes of a stopped command are found by their tree and group only: one that leaves both can live on unseen.",
    "Nothing can be done about it on this system.",
  );
}

export function judgeStrict({ kind }: SandboxReport, isStrict: boolean): Check {
  if (!isStrict) return ok("strict", "STRICT_WORKDIR_ONLY is off.");
  if (kind !== "none") {
    return ok(
      "strict",
      "STRICT_WORKDIR_ONLY is on: nothing outside the workdir can be named, and the sandbox holds the rest.",
    );
  }
  return warning(
    "strict",
    "STRICT_WORKDIR_ONLY is on without a sandbox: it limits what can be asked for, not what an allowed program does.",
    "Make the sandbox work, see above.",
  );
}

/** Whether a folder that is swapped at the right moment can lead a file tool astray. */
export function checkPathGuard({ folders }: Subject): Check {
  const guard = openPathGuard({ root: folders.workdir });
  try {
    return judgeRaces(guard.promises.races);
  } finally {
    guard.close();
  }
}

export function judgeRaces(races: "none" | "window"): Check {
  if (races === "none") {
    return ok(
      "files",
      "File tools hold open folders, so a path that is swapped meanwhile can't lead them outside the workdir.",
    );
  }
  return warning(
    "files",
    "File tools compare names before and after: a path that is swapped at the right moment could lead them outside the workdir.",
    "This system has no /proc to hold open folders by; on Linux nothing of the kind is possible.",
  );
}
