import { z } from "zod";
import { rolloutPolicy } from "../tool-files/rollout/decision/policy.ts";
import type { ReleasePolicy } from "../tool-files/rollout/release/promotion-controller.ts";

const approvals = ["never", "last", "each"] as const;
const modes = ["off", "canary"] as const;
const risks = ["low", "high"] as const;

/** `rollout` of `deckhand.json`. */
export function buildRolloutSchema() {
  const count = z.int().min(1);
  const policy = buildPolicyFields();
  return z
    .strictObject({
      mode: z.enum(modes),
      dry_run: z.boolean().describe("Says what would be done with a canary, and does nothing."),
      window: z
        .int()
        .min(0)
        .max(100)
        .describe("How many versions that were stable before may come back without stages."),
      replay: z.strictObject({ calls: z.int().min(0).max(1000), timeout_ms: count }).partial(),
      low: policy,
      high: policy,
      tools: z.record(
        z.string().min(1),
        policy.extend({ mode: z.enum(modes).optional(), risk: z.enum(risks).optional() }),
      ),
    })
    .partial();
}

function buildPolicyFields() {
  const count = z.int().min(1);
  const share = z
    .number()
    .refine((value) => value >= 0 && value <= 1, "expected a share from 0 to 1, such as 0.02 for 2 %");
  return z
    .strictObject({
      stages: z.array(z.int()).refine(isStages, {
        error: "expected whole percents that rise and end with 100, at least one before it, such as [10, 30, 60, 100]",
      }),
      approve: z.enum(approvals).describe("Which steps a person has to agree to: none, the one to everybody, each."),
      error_rate: share.describe("As excess over what the stable version does at the same time."),
      timeout_rate: share,
      rollback_rate: share,
      p95_rate: z.number().min(0).describe("How much higher the p95 may be, as a part of stable's p95."),
      p95_allowance_ms: z.number().min(0).describe("How much higher the p95 may be in any case, in milliseconds."),
      min_samples: count.describe("Minimum number of canary calls in each stage before the next one."),
      calls: count.describe("Canary calls before everybody gets it."),
      max_canary_calls: count,
      max_age_days: z.number().positive(),
      holdback_percent: z.int().min(0).max(50),
      holdback_calls: z.int().min(0),
      holdback_days: z.number().min(0),
      scheduled_runs: count,
      scheduled_days: z.number().min(0),
    })
    .partial();
}

export type RolloutSettings = z.output<ReturnType<typeof buildRolloutSchema>>;
export type PolicySettings = z.output<ReturnType<typeof buildPolicyFields>>;
type CompletePolicy = { readonly [Key in keyof PolicySettings]-?: NonNullable<PolicySettings[Key]> };
type ToolSettings = NonNullable<RolloutSettings["tools"]>[string];

export interface RolloutConfiguration {
  readonly mode: (typeof modes)[number];
  readonly dryRun: boolean;
  readonly window: number;
  readonly replay: { readonly calls: number; readonly timeoutMs: number };
  /** By the risk of the tool; as they are written, and complete. */
  readonly low: CompletePolicy;
  readonly high: CompletePolicy;
  /** What is said of single tools, over their risk. */
  readonly tools: Readonly<Record<string, ToolSettings>>;
}

const dayMs = 24 * 60 * 60_000;

export const defaultRollout: RolloutConfiguration = {
  mode: "off",
  dryRun: false,
  window: 3,
  replay: { calls: 20, timeoutMs: 5000 },
  low: defaultPolicy("low"),
  high: defaultPolicy("high"),
  tools: {},
};

export function applyRollout(base: RolloutConfiguration, settings: RolloutSettings = {}): RolloutConfiguration {
  const tools: Record<string, ToolSettings> = { ...base.tools };
  for (const [name, given] of Object.entries(settings.tools ?? {})) {
    tools[name] = { ...tools[name], ...said(given) };
  }
  return {
    mode: settings.mode ?? base.mode,
    dryRun: settings.dry_run ?? base.dryRun,
    window: settings.window ?? base.window,
    replay: {
      calls: settings.replay?.calls ?? base.replay.calls,
      timeoutMs: settings.replay?.timeout_ms ?? base.replay.timeoutMs,
    },
    low: { ...base.low, ...said(settings.low) },
    high: { ...base.high, ...said(settings.high) },
    tools,
  };
}

interface PolicyQuestion {
  readonly tool: string;
  /** As the tool says it; the settings may say otherwise. */
  readonly risk: "low" | "high";
  readonly lane: "live" | "scheduled";
}

/** What a new version of this tool has to prove: what is said of the tool, over what is said of its risk. */
export function policyFor(
  rollout: RolloutConfiguration,
  { tool, risk: own, lane }: PolicyQuestion,
): ReleasePolicy & { readonly risk: "low" | "high" } {
  const special = toolSettings(rollout, tool);
  const risk = special.risk ?? own;
  const fields: CompletePolicy = { ...rollout[risk], ...said(special) };
  const { stages } = fields;
  return {
    ...rolloutPolicy(lane, risk),
    risk,
    approve: fields.approve,
    dryRun: rollout.dryRun,
    stages,
    limits: {
      errorRate: fields.error_rate,
      timeoutRate: fields.timeout_rate,
      rollbackRate: fields.rollback_rate,
      latency: { share: fields.p95_rate, milliseconds: fields.p95_allowance_ms },
      calls: fields.calls,
      stageCalls: fields.min_samples,
    },
    maxCanaryCalls: fields.max_canary_calls,
    maxAgeMs: fields.max_age_days * dayMs,
    holdback: {
      // A share never shrinks on the way up: the stage before must not have had more.
      percent: Math.min(fields.holdback_percent, 100 - (stages.at(-2) as number)),
      calls: fields.holdback_calls,
      elapsedMs: fields.holdback_days * dayMs,
    },
    scheduled: { runs: fields.scheduled_runs, elapsedMs: fields.scheduled_days * dayMs },
  };
}

export function rolloutModeFor(rollout: RolloutConfiguration, tool: string): "off" | "canary" {
  return toolSettings(rollout, tool).mode ?? rollout.mode;
}

function toolSettings({ tools }: RolloutConfiguration, tool: string): ToolSettings {
  return (Object.hasOwn(tools, tool) ? tools[tool] : undefined) ?? {};
}

function defaultPolicy(risk: "low" | "high"): CompletePolicy {
  const { stages, limits, maxCanaryCalls, maxAgeMs, holdback, scheduled } = rolloutPolicy("live", risk);
  return {
    stages: [...stages],
    approve: "never",
    error_rate: limits.errorRate,
    timeout_rate: limits.timeoutRate,
    rollback_rate: limits.rollbackRate,
    p95_rate: limits.latency.share,
    p95_allowance_ms: limits.latency.milliseconds,
    min_samples: limits.stageCalls,
    calls: limits.calls,
    max_canary_calls: maxCanaryCalls,
    max_age_days: maxAgeMs / dayMs,
    holdback_percent: holdback.percent,
    holdback_calls: holdback.calls,
    holdback_days: holdback.elapsedMs / dayMs,
    scheduled_runs: scheduled.runs,
    scheduled_days: scheduled.elapsedMs / dayMs,
  };
}

/** A program may name a key and leave its value open. */
function said<Fields extends object>(fields: Fields = {} as Fields): Said<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Said<Fields>;
}

type Said<Fields> = { [Key in keyof Fields]?: NonNullable<Fields[Key]> };

function isStages(stages: readonly number[]): boolean {
  const rises = stages.every((percent, index) => percent > (stages[index - 1] ?? 0));
  return stages.length >= 2 && rises && stages.at(-1) === 100;
}
