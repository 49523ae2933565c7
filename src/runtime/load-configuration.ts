import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../core/errors.ts";
import { parseMaxParallel } from "../engine/time-limits.ts";
import {
  applySettings,
  defaultConfiguration,
  parseSettings,
  type Configuration,
  type Settings,
} from "./configuration.ts";
import { baseFolder } from "./folders.ts";
import { parseJsonc } from "./parse-jsonc.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Flag > environment > project file > user file > default. */
export function loadConfiguration(options: {
  readonly workdir: string;
  readonly env: Environment;
  /** From a program; checked like a file, because not every program is checked by TypeScript. */
  readonly overrides: unknown;
}): Configuration {
  const { workdir, env, overrides } = options;
  let configuration = applySettings(defaultConfiguration, readSettings(userFile(env)));
  configuration = applyProjectSettings(configuration, join(workdir, "deckhand.json"));
  configuration = applySettings(configuration, settingsFromEnvironment(env));
  return applySettings(configuration, parseSettings(overrides, "settings"));
}

function userFile(env: Environment): string {
  return join(baseFolder(env, "XDG_CONFIG_HOME", ".config"), "deckhand", "deckhand.json");
}

/** A cloned repository may ask for a stricter sandbox than its reader has, never for a weaker one. */
function applyProjectSettings(base: Configuration, file: string): Configuration {
  const settings = readSettings(file);
  if (settings.sandbox !== undefined && strictness.indexOf(settings.sandbox) < strictness.indexOf(base.sandbox)) {
    throw new RuntimeError(
      "CONFIG_INVALID",
      `${file}: a project may not weaken "sandbox" from "${base.sandbox}" to "${settings.sandbox}"; set it in your own configuration or as DECKHAND_SANDBOX.`,
    );
  }
  return applySettings(base, settings);
}

const strictness = ["off", "auto", "require"];

function readSettings(file: string): Settings {
  let text: string;
  try {
    // A pipe by that name would be waited for without end.
    if (!statSync(file).isFile()) throw new Error("it is not a file");
    text = readFileSync(file, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return {};
    throw new RuntimeError("CONFIG_INVALID", `${file} can't be read: ${messageOf(thrown)}.`, { cause: thrown });
  }
  try {
    return parseSettings(parseJsonc(text), file);
  } catch (thrown) {
    if (thrown instanceof RuntimeError) throw thrown;
    throw new RuntimeError("CONFIG_INVALID", `${file} is not JSON (${messageOf(thrown)}).`, { cause: thrown });
  }
}

/** `DECKHAND_<SECTION>_<KEY>`; the source documents' names are aliases, and the prefixed one wins. */
function settingsFromEnvironment(env: Environment): Settings {
  const limits: Record<string, unknown> = {};
  if (env["DECKHAND_MAX_PARALLEL_TOOLS"] !== undefined) {
    limits["max_parallel"] = parseMaxParallel(env["DECKHAND_MAX_PARALLEL_TOOLS"]);
  }
  const shellSeconds = Number(env["TOOL_TIMEOUT_SECONDS"]);
  if (shellSeconds > 0) limits["timeout_ms"] = { bash: Math.round(Math.min(shellSeconds, 120) * 1000) };
  for (const key of ["max_parallel", "max_retry", "default_timeout_ms", "max_timeout_ms", "max_output_bytes"]) {
    const raw = env[`DECKHAND_LIMITS_${key.toUpperCase()}`];
    if (raw !== undefined && raw !== "") limits[key] = Number(raw);
  }
  const settings: Record<string, unknown> = { limits };
  if (env["DECKHAND_SANDBOX"]) settings["sandbox"] = env["DECKHAND_SANDBOX"];
  if (env["DECKHAND_STORE_KIND"]) settings["store"] = { kind: env["DECKHAND_STORE_KIND"] };
  return parseSettings(settings, "environment (DECKHAND_…)");
}
