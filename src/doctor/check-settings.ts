import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../core/errors.ts";
import { nearest } from "../core/text.ts";
import { openTrust } from "../permissions/trust/trust.ts";
import { findEnvironmentSecrets } from "../guard/secrets/environment-secrets.ts";
import { countOf } from "../tools/failure.ts";
import { defaultConfiguration, type Configuration } from "../config/configuration.ts";
import { type Folders, userFile } from "../config/folders.ts";
import { loadConfiguration, projectFile } from "../config/load-configuration.ts";
import { type Environment } from "../core/process.ts";
import { ok, problem, warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

/** The settings as a runtime here would read them; the defaults, so that the rest can be looked at, when it could not. */
export function readSettings(
  folders: Folders,
  env: Environment,
): { readonly configuration: Configuration; readonly check: Check } {
  const { workdir } = folders;
  const read = watchReads(env);
  try {
    const trust = openTrust({ workdir, path: folders.trust, toolFolders: [], now: Date.now });
    const isTrusted = (file: string): boolean => trust.isTrusted(file);
    const loaded = loadConfiguration({ workdir, env: read.env, overrides: {}, isTrusted });
    const files = [userFile(env), join(workdir, projectFile)].filter((file) => existsSync(file));
    const check = judgeSettings(files, loaded.warnings, sortNames(env, read.asked));
    return { configuration: loaded.configuration, check };
  } catch (thrown) {
    const fix = "Correct it; nothing runs before that. The other rows are about the default settings.";
    return { configuration: defaultConfiguration, check: problem("settings", messageOf(thrown), fix) };
  }
}

function judgeSettings(files: readonly string[], warnings: readonly string[], names: Names): Check {
  const sources = [...files, ...names.known];
  const unknown = names.unknown.map((name) => tellUnknown(name, names.asked));
  if (warnings.length > 0) {
    return warning("settings", [...warnings, ...unknown].join(" "), "deckhand trust");
  }
  if (unknown.length > 0) return warning("settings", unknown.join(" "), "Correct the name, or unset the variable.");
  return ok(
    "settings",
    sources.length === 0 ? "Nothing is set; the defaults count." : `Read from ${sources.join(", ")}.`,
  );
}

function tellUnknown(name: string, asked: readonly string[]): string {
  const [meant] = nearest(name, asked, 1);
  return `${name} is set, and nothing reads it${meant === undefined ? "" : `; did you mean ${meant}?`}`.replace(
    /[^?]$/,
    "$&.",
  );
}

interface Names {
  readonly asked: readonly string[];
  readonly known: readonly string[];
  readonly unknown: readonly string[];
}

/** Names of ours that are no settings. */
const otherNames = ["WORKDIR", "DEBUG", "EXECUTION", "RUN", "TASK", "SAFE_MODE"].map((name) => `DECKHAND_${name}`);
/** The watchdog reads its own, and says itself what is wrong with them. */
const watchdogPrefix = "DECKHAND_WATCHDOG_";

function isOurs(name: string): boolean {
  return name.startsWith("DECKHAND_") && !name.startsWith(watchdogPrefix);
}

function sortNames(env: Environment, names: ReadonlySet<string>): Names {
  const asked = [...names, ...otherNames].filter(
    (name) => name.startsWith("DECKHAND_") || name === "STRICT_WORKDIR_ONLY",
  );
  const set = Object.keys(env).filter((name) => env[name] !== undefined && env[name] !== "");
  return {
    asked,
    known: set.filter((name) => asked.includes(name)).sort(),
    unknown: set.filter((name) => isOurs(name) && !asked.includes(name)).sort(),
  };
}

/** Which variables are settings is known only to whoever reads them, so it is asked by watching. */
function watchReads(env: Environment): { readonly env: Environment; readonly asked: ReadonlySet<string> } {
  const asked = new Set<string>();
  const watched = new Proxy(env, {
    get(target, name) {
      if (typeof name !== "string") return undefined;
      asked.add(name);
      return target[name];
    },
  });
  return { env: watched, asked };
}

/** Counted, never told. */
export function checkSecrets({ env, configuration }: Subject): Check {
  const secret = Object.entries(env).filter(([name, value]) => findEnvironmentSecrets({ [name]: value }).length > 0);
  const handedOn = secret.filter(([name]) => configuration.tools.environment.includes(name));
  if (secret.length === 0) return ok("secrets", "No variable of the environment looks like a secret.");
  const subject =
    secret.length === 1
      ? "1 variable of the environment looks"
      : `${countOf(secret.length, "variable")} of the environment look`;
  const what = `${subject} like a secret: such values are masked in records, log and events.`;
  if (handedOn.length === 0) return ok("secrets", `${what} Commands do not get them.`);
  return warning(
    "secrets",
    `${what} "tools.environment" hands ${handedOn.length} of them to every command.`,
    'Take them out of "tools.environment" where no command needs them.',
  );
}
