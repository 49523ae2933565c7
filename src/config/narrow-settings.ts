import { sandboxOf, type Configuration } from "./configuration.ts";
import type { PolicySettings, RolloutConfiguration, RolloutSettings } from "./rollout-settings.ts";
import { narrowSchedule } from "./schedule-settings.ts";
import type { Settings } from "./settings.ts";

/**
 * What a cloned repository's file may do before the person trusts it: only narrow. Says which keys would widen what is
 * allowed, weaken the evidence or execute something; those need trust.
 */
export function narrowSettings(
  settings: Settings,
  base: Configuration,
): { readonly settings: Settings; readonly widening: readonly string[] } {
  const widening: string[] = [];
  const narrowed = structuredClone(settings) as Mutable<Settings>;

  function drop(
    section: "limits" | "permissions" | "tools" | "log" | "store" | "retention",
    key: string,
    widens: boolean,
  ): void {
    const values = narrowed[section] as Record<string, unknown> | undefined;
    if (!values || values[key] === undefined || !widens) return;
    delete values[key];
    widening.push(`${section}.${key}`);
  }

  const { limits = {}, permissions = {}, log = {}, store = {}, retention = {} } = settings;
  drop("permissions", "allow", (permissions.allow?.length ?? 0) > 0);
  drop("permissions", "mode", isWider(modes, permissions.mode, base.permissions.mode));
  drop("permissions", "unattended", permissions.unattended === "inbox" && base.permissions.unattended === "refuse");
  drop("permissions", "strict_workdir_only", !permissions.strict_workdir_only && base.permissions.strictWorkdirOnly);
  drop("permissions", "tasks_outside_workspace", permissions.tasks_outside_workspace === true);
  // What a conversation may cost is the person's to say.
  drop("limits", "max_turns", (limits.max_turns ?? 0) > base.limits.maxTurns);
  drop("limits", "max_cost", limits.max_cost !== undefined && limits.max_cost > (base.limits.maxCost ?? Infinity));
  drop("limits", "max_agents", (limits.max_agents ?? 0) > base.limits.maxAgents);
  const { max_task_output_bytes: taskBytes = 0, max_background_log_bytes: logBytes = 0 } = limits;
  drop("limits", "max_task_output_bytes", taskBytes > base.limits.maxTaskOutputBytes);
  drop("limits", "max_background_log_bytes", logBytes > base.limits.maxBackgroundLogBytes);
  drop("limits", "task_timeout_ms", (limits.task_timeout_ms ?? 0) > base.limits.taskTimeoutMs);
  // What lies there would be executed.
  drop("tools", "folder", settings.tools?.folder !== undefined && settings.tools.folder !== base.tools.folder);
  drop("tools", "environment", (settings.tools?.environment?.length ?? 0) > 0);
  drop("log", "audit", log.audit === false && base.log.audit);
  drop("log", "workflow", log.workflow === false && base.log.workflow);
  drop("log", "on_failure", log.on_failure === "continue" && base.log.onFailure === "refuse");
  drop("log", "fsync", isWider(syncs, log.fsync, base.log.fsync));
  drop("store", "kind", store.kind === "memory" && base.store.kind !== "memory");
  // Whoever names it learns what agents are told, and tells them.
  drop("store", "url", store.url !== undefined);
  // Tasks of another project would be run with what lies in this folder.
  drop("store", "scope", store.scope !== base.store.scope);
  for (const key of Object.keys(retention)) drop("retention", key, true);

  const sandbox = { ...sandboxOf(settings) };
  if (isWider(sandboxes, sandbox.mode, base.sandbox.mode)) widening.push("sandbox.mode");
  if (isWider(networks, sandbox.network, base.sandbox.network)) widening.push("sandbox.network");
  if (sandbox.writable?.length) widening.push("sandbox.writable");
  if (sandbox.visible?.length) widening.push("sandbox.visible");
  if (widening.includes("sandbox.mode")) delete sandbox.mode;
  if (widening.includes("sandbox.network")) delete sandbox.network;
  delete sandbox.writable;
  delete sandbox.visible;
  if (settings.sandbox !== undefined) narrowed.sandbox = sandbox;

  // Whoever names the model says where the conversation and a key are sent.
  if (settings.model !== undefined) widening.push("model");
  delete narrowed.model;
  const web = narrowWeb(settings.tools?.web, base.tools.web);
  if (narrowed.tools?.web !== undefined) narrowed.tools.web = web.narrowed;
  widening.push(...web.widening);

  const rollout = narrowRollout(settings.rollout, base.rollout);
  if (settings.rollout !== undefined) narrowed.rollout = rollout.narrowed;
  widening.push(...rollout.widening);

  const schedule = narrowSchedule(settings.schedule, base.schedule);
  if (settings.schedule !== undefined) narrowed.schedule = schedule.narrowed;
  widening.push(...schedule.widening);

  if (settings.hooks?.before?.length) widening.push("hooks.before");
  if (settings.hooks?.after?.length) widening.push("hooks.after");
  delete narrowed.hooks;
  // Each is a program to run, or a place that is told what the model asks for.
  if (Object.keys(settings.mcpServers ?? {}).length > 0) widening.push("mcpServers");
  delete narrowed.mcpServers;
  // Each is a program to run.
  if (Object.keys(settings.agents ?? {}).length > 0) widening.push("agents");
  delete narrowed.agents;
  return { settings: narrowed, widening };
}

type WebSetting = NonNullable<NonNullable<Settings["tools"]>["web"]>;

/** Smaller limits are welcome; where the web is reached, and which service learns what is searched for, is the person's word. */
function narrowWeb(
  web: WebSetting = {},
  base: Configuration["tools"]["web"],
): { readonly narrowed: WebSetting; readonly widening: readonly string[] } {
  const widens: Readonly<Record<keyof WebSetting, boolean>> = {
    allow_hosts: (web.allow_hosts?.length ?? 0) > 0,
    allow_private: web.allow_private === true && !base.allowPrivate,
    proxy: web.proxy === "trust" && base.proxy === "refuse",
    timeout_ms: (web.timeout_ms ?? 0) > base.timeoutMs,
    max_bytes: (web.max_bytes ?? 0) > base.maxBytes,
    search: web.search?.searxng_url !== undefined,
  };
  const kept = Object.entries(web).filter(([key]) => !widens[key as keyof WebSetting]);
  const widening = Object.entries(widens).flatMap(([key, isWide]) => (isWide ? [`tools.web.${key}`] : []));
  return { narrowed: Object.fromEntries(kept), widening };
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

// Each from the narrowest on.
const modes = ["plan", "never", "ask", "accept-edits", "auto"];
const syncs = ["always", "interval", "never"];
const sandboxes = ["require", "auto", "off"];
const networks = ["off", "auto", "on"];

function isWider(order: readonly string[], asked: string | undefined, has: string): boolean {
  return asked !== undefined && order.indexOf(asked) > order.indexOf(has);
}

/**
 * Of what a folder says about rollouts before it is trusted, the part that only makes them more careful: with canaries instead
 * of without, more to prove, more to agree to. What lets a new version out sooner needs trust.
 */
function narrowRollout(
  settings: RolloutSettings = {},
  base: RolloutConfiguration,
): { readonly narrowed: RolloutSettings; readonly widening: readonly string[] } {
  const { low, high, replay, tools, ...own } = settings;
  const widening: string[] = [];
  /** Without the keys that widen, which are noted. */
  function keep<Fields extends object>(
    fields: Fields,
    widens: Readonly<Record<string, boolean>>,
    path: string,
  ): Fields {
    const dropped = Object.keys(fields).filter((key) => widens[key]);
    widening.push(...dropped.map((key) => `${path}.${key}`));
    return Object.fromEntries(Object.entries(fields).filter(([key]) => !dropped.includes(key))) as Fields;
  }

  const narrowed: RolloutSettings = keep(
    own,
    {
      mode: own.mode === "off" && base.mode === "canary",
      dry_run: own.dry_run === true && !base.dryRun,
      window: (own.window ?? 0) > base.window,
    },
    "rollout",
  );
  if (replay) {
    const fewer = (replay.calls ?? Infinity) < base.replay.calls;
    const shorter = (replay.timeout_ms ?? Infinity) < base.replay.timeoutMs;
    narrowed.replay = keep(replay, { calls: fewer, timeout_ms: shorter }, "rollout.replay");
  }
  if (low) narrowed.low = keep(low, widenedBy(low, base.low), "rollout.low");
  if (high) narrowed.high = keep(high, widenedBy(high, base.high), "rollout.high");
  if (tools) narrowed.tools = {};
  for (const [name, given] of Object.entries(tools ?? {})) {
    const known = Object.hasOwn(base.tools, name) ? base.tools[name]! : {};
    // Which risk the tool has is not known here, so it has to be stricter than either.
    const [asLow, asHigh] = [base.low, base.high].map((policy) => widenedBy(given, { ...policy, ...known }));
    const widens = Object.fromEntries(Object.keys(given).map((key) => [key, asLow![key]! || asHigh![key]!]));
    const mode = given.mode === "off" && (known.mode ?? base.mode) === "canary";
    const risk = given.risk === "low" && known.risk !== "low";
    narrowed.tools![name] = keep(given, { ...widens, mode, risk }, `rollout.tools.${name}`);
  }
  return { narrowed, widening };
}

const approvals = ["never", "last", "each"];

function widenedBy(given: PolicySettings, base: PolicySettings): Record<string, boolean> {
  const widens: Record<string, boolean> = {};
  for (const [key, value] of Object.entries(given)) {
    const has = base[key as keyof PolicySettings];
    if (typeof value === "number" && typeof has === "number") {
      widens[key] = larger.has(key) ? value < has : value > has;
    } else if (key === "approve") widens[key] = approvals.indexOf(String(value)) < approvals.indexOf(String(has));
    else widens[key] = JSON.stringify(value) !== JSON.stringify(has);
  }
  return widens;
}

/** Of these, more is more careful; of all other numbers, less is. */
const larger = new Set([
  "min_samples",
  "calls",
  "max_canary_calls",
  "holdback_percent",
  "holdback_calls",
  "holdback_days",
  "scheduled_runs",
  "scheduled_days",
]);
