import type { Execution } from "../../../core/call.ts";
import type { RolloutEvent, RolloutEventQuery, ToolFeedback } from "../../../core/stores.ts";
import type { Assessment } from "../decision/assess.ts";
import type { Corrections, Harm, LaneName, Rollout, ToolRelease } from "../release/tool-release.ts";
import type { CallFigures } from "../metrics/counted-call.ts";

/** What a person can see and do about new versions of tools. Names may be aliases; an unknown one throws UNKNOWN_TOOL. */
export interface Rollouts {
  /** Of tools that have no mode of their own in the settings. */
  readonly mode: "off" | "canary";
  /** Of all tools that come from files and are known, or of one; sorted by name. */
  list(tool?: string): Promise<RolloutView[]>;
  /** All that speaks for and against the version that is tried. */
  explain(tool: string): Promise<RolloutExplanation>;
  history(query: RolloutEventQuery): Promise<readonly RolloutEvent[]>;
  feedback(tool: string, limit: number): Promise<readonly ToolFeedback[]>;
  /**
   * What the version that is tried, or was rolled back, changes of the stable one, as a unified diff of at most so many lines (2,000
   * when left out); empty when only what it imports is another, null when there is none, or no copy of it.
   */
  diff(tool: string, mostLines?: number): Promise<string | null>;
  /**
   * What needs nobody's order, and would wait for the next call otherwise: what a process that died left undone is done, and where
   * so much time has passed that a person has to decide, that is told. A daemon asks for it now and then.
   */
  lookAfter(): Promise<void>;
  /** The same for somebody else than the user of this process: the record names whoever gave an order. */
  inNameOf(who: string): Rollouts;
  /** `next`: agrees to one step, now; `all`: everybody gets it, whatever is proven. Throws ROLLOUT_STATE when there is nothing to promote. */
  promote(tool: string, order: { readonly to: "next" | "all"; readonly reason?: string }): Promise<RolloutView>;
  /**
   * A person says that the result of this call was bad: while a version is tried, it counts like a failure of the version that
   * ran it, once. Throws ROLLOUT_STATE for a call that did not succeed, or of another tool.
   */
  markBad(tool: string, call: Execution, reason?: string): Promise<BadMark>;
  /**
   * A person took back what was made of the result of this call: while a version is tried, it counts like a failure of the
   * version that ran it, once. A call that did not succeed, or of a tool of which nothing is tried, is `not_tried`.
   */
  markUndone(call: Execution): Promise<BadMark["counted"]>;
  /** The share stays as it is. */
  hold(tool: string, reason: string): Promise<RolloutView>;
  /** Ends a hold or a pin; a version that was rolled back begins again from the first stage. */
  resume(tool: string, reason?: string): Promise<RolloutView>;
  /**
   * To the stable version; where none is tried, to the one before it. `hard`: the version is disabled, and no other content
   * gets out before a person resumes. `to`: to this content that was stable once, by the beginning of its hash or its number in
   * the history; what is tried and what was stable after it stay out. Throws VERSION_UNKNOWN when there is none.
   */
  rollback(
    tool: string,
    order: { readonly kind: "soft" | "hard"; readonly reason?: string; readonly to?: string },
  ): Promise<RolloutView>;
}

export interface BadMark {
  /** `not_tried`: no rollout that is running counts it; `already`: it, or its conversation, counts as failed already. */
  readonly counted: "counted" | "already" | "not_tried";
  readonly view: RolloutView;
}

export interface RolloutView {
  readonly tool: string;
  /** As a person says it: `tools/echo_tool.ts`. */
  readonly file: string;
  readonly mode: "off" | "canary";
  /** `name@hash`. */
  readonly stable: string;
  readonly stableSince: number;
  readonly canary: string | null;
  /** Percent of the live conversations that get it now; 0 when nobody does. */
  readonly percent: number;
  /** The share of each step from the first stage to everybody, as percent; the holdback's is one of them. */
  readonly stages: readonly number[];
  readonly status: Rollout["status"] | "none";
  readonly isHeld: boolean;
  readonly isPinned: boolean;
  readonly awaitsApproval: boolean;
  /** One sentence with its figures. */
  readonly reason: string;
  readonly startedAt: number | null;
}

export interface RolloutExplanation {
  readonly view: RolloutView;
  readonly release: ToolRelease;
  /** Asked now; null where nothing is tried. */
  readonly lanes: Readonly<Record<LaneName, Assessment | null>>;
  /** Of the last 100 calls and of the last 30 minutes, by version, route and kind of input. */
  readonly figures: readonly FiguresRow[];
  /** Whom the version that is tried, or was rolled back, has failed; left out where that is not known. */
  readonly harm?: Harm;
  /** What people corrected since the trial began; left out where nothing is or was tried. */
  readonly corrections?: Corrections;
}

export interface FiguresRow {
  readonly version: string;
  readonly route: "stable" | "canary";
  readonly lane: LaneName;
  /** The kind of input; `all` for all of them. */
  readonly kind: string;
  readonly lastCalls: CallFigures;
  readonly lastMinutes: CallFigures;
}
