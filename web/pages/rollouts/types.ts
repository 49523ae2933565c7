import type { RolloutEvent as CoreRolloutEvent } from "../../../src/core/stores.ts";
import type { Wire } from "../../../src/core/wire.ts";
import type { List } from "../../api/types.ts";
import type { SeriesBucket } from "../../charts/rollout-series.ts";

export type RolloutEvent = Wire<CoreRolloutEvent>;

export type RolloutStatus = "replaying" | "blocked" | "running" | "rolled_back" | "none";

/** As `deckhand rollout --json` has it. */
export interface RolloutView {
  readonly tool: string;
  readonly file: string;
  readonly mode: "off" | "canary";
  readonly stable: string;
  readonly stable_since: string;
  readonly canary: string | null;
  readonly percent: number;
  readonly stages: readonly number[];
  readonly status: RolloutStatus;
  readonly is_held: boolean;
  readonly is_pinned: boolean;
  readonly awaits_approval: boolean;
  readonly reason: string;
  readonly started_at: string | null;
}

export interface RolloutViews extends List<RolloutView> {
  /** Of tools that have no mode of their own in the settings. */
  readonly mode: RolloutView["mode"];
}

/** As `deckhand rollout explain --json` has it, with what charts need. */
export interface RolloutDetail {
  readonly view: RolloutView;
  readonly release: Release;
  readonly lanes: Readonly<Record<LaneName, Assessment | null>>;
  readonly figures: readonly FiguresRow[];
  readonly harm?: {
    readonly harmed: number;
    readonly saved: number;
    readonly calls: readonly { readonly execution_id: string; readonly error: string }[];
  };
  readonly corrections?: Readonly<Record<"canary" | "stable", { readonly undo: number; readonly feedback: number }>>;
  readonly history: readonly RolloutEvent[];
  readonly series: readonly SeriesBucket[];
  readonly diff: string | null;
}

export type LaneName = "live" | "scheduled";

export interface Release {
  readonly file_hash: string;
  readonly stable: { readonly hash: string };
  readonly earlier: readonly { readonly hash: string; readonly since: string; readonly until: string }[];
  readonly out: Readonly<Record<string, { readonly reason: string }>>;
  readonly rollout: {
    readonly origin: "person" | "agent" | "improve";
    readonly risk: "low" | "high";
    readonly replay: Replay | null;
  } | null;
}

export interface Replay {
  readonly cases: number;
  readonly passed: number;
  readonly flips: readonly { readonly name: string; readonly input: unknown; readonly error: string }[];
  readonly skipped: string | null;
}

export interface Assessment {
  readonly verdict: "advance" | "promote" | "hold" | "rollback" | "inconclusive";
  readonly reason: string;
  readonly missing?: { readonly canary_calls: number; readonly milliseconds?: number };
  readonly evidence: {
    readonly canary: ArmCounts;
    readonly stable: ArmCounts;
    readonly stable_rate: number;
    readonly probability_worse: number;
    readonly probability_unsafe: number;
    readonly tail: { readonly calls: number; readonly above_p95: number; readonly above_limit: number };
  };
}

export interface ArmCounts {
  readonly calls: number;
  readonly failures: number;
  readonly timeouts: number;
  readonly wrong: number;
}

export interface FiguresRow {
  readonly version: string;
  readonly route: "stable" | "canary";
  readonly lane: LaneName;
  readonly kind: string;
  readonly last_calls: CallFigures;
  readonly last_minutes: CallFigures;
}

export interface CallFigures {
  readonly calls: number;
  readonly error_rate: number | null;
  readonly timeout_rate: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}
