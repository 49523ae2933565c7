import type { Environment } from "../core/process.ts";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { clipText } from "../core/text.ts";
import { codeOf, messageOf, RuntimeError } from "../core/errors.ts";
import { parseJsonc } from "../core/json.ts";
import { parseMaxParallel } from "../engine/time-limits.ts";
import { applySettings, defaultConfiguration, type Configuration } from "./configuration.ts";
import { userFile } from "./folders.ts";
import { hookFiles } from "./hook-files.ts";
import { readSharedMcpServers, sharedMcpFile, type SharedMcpServers } from "./mcp-settings.ts";
import { narrowSettings } from "./narrow-settings.ts";
import { readScheduleEnvironment } from "./schedule-settings.ts";
import { parseSettings, type Settings } from "./settings.ts";

export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** What was left out, in sentences for a person. */
  readonly warnings: readonly string[];
  /** Files of the workdir that hooks run, relative to it. */
  readonly hookFiles: readonly string[];
}

/** Flag > environment > project file > user file > default. */
export function loadConfiguration(options: {
  readonly workdir: string;
  readonly env: Environment;
  /** From a program; checked like a file, because not every program is checked by TypeScript. */
  readonly overrides: unknown;
  /** What holds where nobody says anything, of a program that is no conversation with a person. */
  readonly defaults?: Settings;
  /** Whether the person trusts a file that the workdir brings along, as it is now. */
  readonly isTrusted: (file: string) => boolean;
}): LoadedConfiguration {
  const { workdir, env, overrides } = options;
  const file = join(workdir, projectFile);
  const project = readSettings(file);
  const usual = applySettings(defaultConfiguration, options.defaults ?? {});
  const person = applySettings(usual, readSettings(userFile(env)));
  const shared = trustedMcpServers(workdir, options.isTrusted);
  const base = { ...person, mcpServers: { ...person.mcpServers, ...shared.servers } };
  // A script that a trusted file names decides as much as the file does.
  const strangers = [projectFile, ...hookFiles(project, workdir)].filter((each) => !options.isTrusted(each));
  const { settings, widening } =
    strangers.length === 0 ? { settings: project, widening: [] } : narrowSettings(project, base);
  const configuration = [settings, settingsFromEnvironment(env), parseSettings(overrides, "settings")].reduce(
    applySettings,
    base,
  );
  const warnings = [
    ...shared.warnings,
    ...(widening.length === 0 ? [] : [untrusted(file, widening, strangers)]),
    ...describeIgnoredVariables(env),
  ];
  return { configuration, warnings, hookFiles: hookFiles(configuration, workdir) };
}

/** A server of `.mcp.json` runs as soon as it is used, so the file and the scripts it names have to be trusted first. */
function trustedMcpServers(workdir: string, isTrusted: (file: string) => boolean): SharedMcpServers {
  const { servers, warnings } = readSharedMcpServers(workdir);
  const names = Object.keys(servers);
  if (names.length === 0) return { servers, warnings };
  const strangers = [sharedMcpFile, ...hookFiles({ mcpServers: servers }, workdir)].filter((each) => !isTrusted(each));
  if (strangers.length === 0) return { servers, warnings };
  const named = names.map((name) => JSON.stringify(name)).join(", ");
  const untold = `${join(workdir, sharedMcpFile)} names MCP servers (${named}), which are not started before you trust it: look at ${strangers.join(", ")}, then run \`deckhand trust\`.`;
  return { servers: {}, warnings: [...warnings, untold] };
}

/** The project's own settings as they stand; null when they can't be read. */
export function readProjectSettings(workdir: string): Settings | null {
  try {
    return readSettings(join(workdir, projectFile));
  } catch {
    return null;
  }
}

export const projectFile = "deckhand.json";

function untrusted(file: string, widening: readonly string[], strangers: readonly string[]): string {
  const keys = widening.join(", ");
  const scripts = strangers.filter((each) => each !== projectFile);
  const about = scripts.length === 0 ? "the file" : `the file and ${scripts.join(", ")}`;
  return `${file} sets ${keys}, which a folder may only do when you trust it: look at ${about}, then run \`deckhand trust\`. Until then ${widening.length === 1 ? "that is" : "those are"} ignored.`;
}

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
  const maxParallel = env["DECKHAND_MAX_PARALLEL_TOOLS"] ?? env["AXCOPILOT_MAX_PARALLEL_TOOLS"];
  if (maxParallel !== undefined) limits["max_parallel"] = parseMaxParallel(maxParallel);
  const shellSeconds = Number(env["TOOL_TIMEOUT_SECONDS"]);
  if (shellSeconds > 0) limits["timeout_ms"] = { bash: Math.round(Math.min(shellSeconds, 120) * 1000) };
  for (const key of numericLimits) {
    const raw = env[`DECKHAND_LIMITS_${key.toUpperCase()}`];
    if (raw !== undefined && raw !== "") limits[key] = Number(raw);
  }
  const settings: Record<string, Record<string, unknown>> = Object.keys(limits).length > 0 ? { limits } : {};
  const put = (name: string, section: string, key: string): void => {
    const raw = env[name];
    if (raw !== undefined && raw !== "") (settings[section] ??= {})[key] = booleans.get(raw.toLowerCase()) ?? raw;
  };
  const schedule = readScheduleEnvironment(env);
  if (Object.keys(schedule).length > 0) settings["schedule"] = schedule;
  put("DECKHAND_MODEL", "model", "name");
  put("DECKHAND_MODEL_NAME", "model", "name");
  put("DECKHAND_MODEL_BASE_URL", "model", "base_url");
  put("DECKHAND_PERMISSIONS_MODE", "permissions", "mode");
  put("DECKHAND_PERMISSIONS_UNATTENDED", "permissions", "unattended");
  put("STRICT_WORKDIR_ONLY", "permissions", "strict_workdir_only");
  put("DECKHAND_PERMISSIONS_STRICT_WORKDIR_ONLY", "permissions", "strict_workdir_only");
  put("CUSTOM_TOOL_DIR", "tools", "folder");
  put("DECKHAND_TOOLS_FOLDER", "tools", "folder");
  put("DECKHAND_SANDBOX", "sandbox", "mode");
  put("DECKHAND_SANDBOX_MODE", "sandbox", "mode");
  put("DECKHAND_SANDBOX_NETWORK", "sandbox", "network");
  put("DECKHAND_ROLLOUT_MODE", "rollout", "mode");
  put("DECKHAND_ROLLOUT_DRY_RUN", "rollout", "dry_run");
  put("DECKHAND_STORE_KIND", "store", "kind");
  put("DECKHAND_STORE_URL", "store", "url");
  put("DECKHAND_STORE_SCOPE", "store", "scope");
  put("DECKHAND_LOG_AUDIT", "log", "audit");
  put("DECKHAND_LOG_WORKFLOW", "log", "workflow");
  put("DECKHAND_LOG_ON_FAILURE", "log", "on_failure");
  put("DECKHAND_LOG_FSYNC", "log", "fsync");
  return parseSettings(settings, "environment (DECKHAND_…)");
}

/** A name of the source documents that other programs may use as well: a wrong value is reported, not refused. */
function describeIgnoredVariables(env: Environment): string[] {
  const seconds = env["TOOL_TIMEOUT_SECONDS"] ?? "";
  if (seconds.trim() === "" || Number(seconds) > 0) return [];
  const shown = JSON.stringify(clipText(seconds, 100));
  return [`TOOL_TIMEOUT_SECONDS is ${shown}, which is not a number of seconds greater than 0. It is ignored.`];
}

const numericLimits = [
  "max_agents",
  "task_timeout_ms",
  "max_task_output_bytes",
  "max_background_log_bytes",
  "max_parallel",
  "max_retry",
  "default_timeout_ms",
  "max_timeout_ms",
  "max_output_bytes",
  "max_turns",
  "max_cost",
  "max_context_tokens",
  "max_result_characters",
];

const booleans = new Map([
  ["1", true],
  ["true", true],
  ["yes", true],
  ["0", false],
  ["false", false],
  ["no", false],
]);
