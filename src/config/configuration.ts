import type { PermissionMode } from "../core/permission.ts";
import { defaultLimits, type EngineLimits } from "../engine/time-limits.ts";
import type { WebSettings } from "../tools/web/web-settings.ts";
import type { McpServerFields } from "./mcp-settings.ts";
import { modelSettingOf, type ModelSetting } from "./model-settings.ts";
import type { AgentEntries } from "../tasks/adapters/agent-entries.ts";
import { applyRollout, defaultRollout, type RolloutConfiguration } from "./rollout-settings.ts";
import { applySchedule, defaultSchedule, type ScheduleConfiguration } from "./schedule-settings.ts";
import type { HookSetting, Settings } from "./settings.ts";

export type SandboxSetting = "auto" | "require" | "off";
export type StoreKind = "sqlite" | "memory";

/** All settings, complete: inside the runtime nobody asks for a default. */
export interface Configuration {
  readonly model: ModelSetting;
  readonly limits: EngineLimits & {
    readonly maxOutputBytes: number;
    readonly maxTurns: number;
    readonly maxCost: number | null;
    /** Null: the model's own window. */
    readonly maxContextTokens: number | null;
    readonly maxResultCharacters: number;
    readonly maxAgents: number;
    readonly taskTimeoutMs: number;
    readonly maxTaskOutputBytes: number;
    readonly maxBackgroundLogBytes: number;
  };
  readonly permissions: {
    readonly mode: PermissionMode;
    readonly deny: readonly string[];
    readonly ask: readonly string[];
    readonly allow: readonly string[];
    readonly unattended: "refuse" | "inbox";
    readonly tasksOutsideWorkspace: boolean;
    readonly strictWorkdirOnly: boolean;
  };
  readonly tools: {
    /** Where tool files lie; relative to the workdir, or absolute. */
    readonly folder: string;
    readonly disabled: readonly string[];
    readonly environment: readonly string[];
    readonly web: WebSettings;
  };
  readonly hooks: { readonly before: readonly HookSetting[]; readonly after: readonly HookSetting[] };
  readonly sandbox: {
    readonly mode: SandboxSetting;
    readonly network: "auto" | "on" | "off";
    readonly writable: readonly string[];
    readonly hidden: readonly string[];
    readonly visible: readonly string[];
  };
  /** By name, as they are written; those that are switched off as well. */
  readonly mcpServers: Readonly<Record<string, McpServerFields>>;
  readonly agents: AgentEntries;
  readonly rollout: RolloutConfiguration;
  readonly schedule: ScheduleConfiguration;
  readonly store: {
    readonly kind: StoreKind;
    /** Null: tasks, jobs and the inbox are this machine's own. */
    readonly url: string | null;
    /** The project's name where several share the database; null: the workdir's real path. */
    readonly scope: string | null;
  };
  readonly log: {
    readonly audit: boolean;
    readonly workflow: boolean;
    readonly onFailure: "refuse" | "continue";
    readonly fsync: "never" | "interval" | "always";
    readonly maxBytes: number;
  };
  readonly retention: {
    readonly executionsDays: number;
    readonly outputsDays: number;
    readonly outputsMaxBytes: number;
    readonly logDays: number | null;
    readonly tasksMinutes: number;
  };
}

const megabyte = 1024 * 1024;

export const defaultConfiguration: Configuration = {
  model: {},
  limits: {
    ...defaultLimits,
    maxOutputBytes: 64 * megabyte,
    maxTurns: 20,
    maxCost: null,
    maxContextTokens: null,
    maxResultCharacters: 10_000,
    maxAgents: 4,
    taskTimeoutMs: 30 * 60_000,
    maxTaskOutputBytes: 4096 * megabyte,
    maxBackgroundLogBytes: 8 * megabyte,
  },
  permissions: {
    mode: "ask",
    deny: [],
    ask: [],
    allow: [],
    unattended: "refuse",
    strictWorkdirOnly: false,
    tasksOutsideWorkspace: false,
  },
  tools: {
    folder: "tools",
    disabled: [],
    environment: [],
    web: {
      allowHosts: [],
      allowPrivate: false,
      proxy: "refuse",
      timeoutMs: 20_000,
      maxBytes: 5 * megabyte,
      searxngUrl: null,
    },
  },
  hooks: { before: [], after: [] },
  sandbox: { mode: "auto", network: "auto", writable: [], hidden: [], visible: [] },
  mcpServers: {},
  agents: {},
  rollout: defaultRollout,
  schedule: defaultSchedule,
  store: { kind: "sqlite", url: null, scope: null },
  log: { audit: true, workflow: true, onFailure: "refuse", fsync: "interval", maxBytes: 64 * megabyte },
  retention: { executionsDays: 30, outputsDays: 7, outputsMaxBytes: 1024 * megabyte, logDays: null, tasksMinutes: 60 },
};

/** Later settings win over earlier ones; lists of rules, tools and hooks add up. */
export function applySettings(base: Configuration, settings: Settings): Configuration {
  const { limits = {}, permissions = {}, tools = {}, hooks = {}, store = {}, log = {}, retention = {} } = settings;
  const sandbox = sandboxOf(settings);
  const model = modelSettingOf(settings.model);
  return {
    model: { ...base.model, ...model, providers: { ...base.model.providers, ...model.providers } },
    limits: {
      maxParallel: limits.max_parallel ?? base.limits.maxParallel,
      maxRetry: limits.max_retry ?? base.limits.maxRetry,
      defaultTimeoutMs: limits.default_timeout_ms ?? base.limits.defaultTimeoutMs,
      maxTimeoutMs: limits.max_timeout_ms ?? base.limits.maxTimeoutMs,
      maxOutputBytes: limits.max_output_bytes ?? base.limits.maxOutputBytes,
      timeoutMs: { ...base.limits.timeoutMs, ...limits.timeout_ms },
      idleMs: { ...base.limits.idleMs, ...limits.idle_ms },
      maxTurns: limits.max_turns ?? base.limits.maxTurns,
      maxCost: limits.max_cost ?? base.limits.maxCost,
      maxContextTokens: limits.max_context_tokens ?? base.limits.maxContextTokens,
      maxResultCharacters: limits.max_result_characters ?? base.limits.maxResultCharacters,
      maxAgents: limits.max_agents ?? base.limits.maxAgents,
      taskTimeoutMs: limits.task_timeout_ms ?? base.limits.taskTimeoutMs,
      maxTaskOutputBytes: limits.max_task_output_bytes ?? base.limits.maxTaskOutputBytes,
      maxBackgroundLogBytes: limits.max_background_log_bytes ?? base.limits.maxBackgroundLogBytes,
    },
    permissions: {
      mode: permissions.mode ?? base.permissions.mode,
      deny: union(base.permissions.deny, permissions.deny),
      ask: union(base.permissions.ask, permissions.ask),
      allow: union(base.permissions.allow, permissions.allow),
      unattended: permissions.unattended ?? base.permissions.unattended,
      tasksOutsideWorkspace: permissions.tasks_outside_workspace ?? base.permissions.tasksOutsideWorkspace,
      strictWorkdirOnly: permissions.strict_workdir_only ?? base.permissions.strictWorkdirOnly,
    },
    tools: {
      folder: tools.folder ?? base.tools.folder,
      disabled: union(base.tools.disabled, tools.disabled),
      environment: union(base.tools.environment, tools.environment),
      web: applyWeb(base.tools.web, tools.web),
    },
    hooks: {
      before: [...base.hooks.before, ...(hooks.before ?? [])],
      after: [...base.hooks.after, ...(hooks.after ?? [])],
    },
    sandbox: {
      mode: sandbox.mode ?? base.sandbox.mode,
      network: sandbox.network ?? base.sandbox.network,
      writable: union(base.sandbox.writable, sandbox.writable),
      hidden: union(base.sandbox.hidden, sandbox.hidden),
      visible: union(base.sandbox.visible, sandbox.visible),
    },
    mcpServers: { ...base.mcpServers, ...settings.mcpServers },
    agents: { ...base.agents, ...settings.agents },
    rollout: applyRollout(base.rollout, settings.rollout),
    schedule: applySchedule(base.schedule, settings.schedule),
    store: {
      kind: store.kind ?? base.store.kind,
      url: store.url ?? base.store.url,
      // The schedule's is the older name.
      scope: store.scope ?? settings.schedule?.scope ?? base.store.scope,
    },
    log: {
      audit: log.audit ?? base.log.audit,
      workflow: log.workflow ?? base.log.workflow,
      onFailure: log.on_failure ?? base.log.onFailure,
      fsync: log.fsync ?? base.log.fsync,
      maxBytes: log.max_bytes ?? base.log.maxBytes,
    },
    retention: {
      executionsDays: retention.executions_days ?? base.retention.executionsDays,
      outputsDays: retention.outputs_days ?? base.retention.outputsDays,
      outputsMaxBytes: retention.outputs_max_bytes ?? base.retention.outputsMaxBytes,
      logDays: retention.log_days === undefined ? base.retention.logDays : retention.log_days,
      tasksMinutes: retention.tasks_minutes ?? base.retention.tasksMinutes,
    },
  };
}

function applyWeb(base: WebSettings, web: NonNullable<Settings["tools"]>["web"] = {}): WebSettings {
  return {
    allowHosts: union(base.allowHosts, web.allow_hosts),
    allowPrivate: web.allow_private ?? base.allowPrivate,
    proxy: web.proxy ?? base.proxy,
    timeoutMs: web.timeout_ms ?? base.timeoutMs,
    maxBytes: web.max_bytes ?? base.maxBytes,
    searxngUrl: web.search?.searxng_url ?? base.searxngUrl,
  };
}

/** `"sandbox": "require"` is short for `"sandbox": {"mode": "require"}`. */
export function sandboxOf({ sandbox }: Settings): Exclude<NonNullable<Settings["sandbox"]>, string> {
  return typeof sandbox === "string" ? { mode: sandbox } : (sandbox ?? {});
}

function union(base: readonly string[], added: readonly string[] = []): readonly string[] {
  return added.length === 0 ? base : [...new Set([...base, ...added])];
}
