import { addBlock, addFailures } from "./add-block.ts";
import { type ArmSample, type Block, type Evidence, type History, noEvidence } from "./rollout-evidence.ts";
import { type Facts, judge, lookEvery } from "./judge.ts";
import { rolloutPolicy } from "./policy.ts";

/** Counters of one arm over a stretch of calls. */
export interface RuleCounts {
  readonly n: number;
  readonly errors: number;
  readonly timeouts: number;
  /** Failures, at most one per conversation. */
  readonly uniq: number;
  /** Of these, the ones that succeeded when they were run again on the stable version. */
  readonly discordant: number;
  /** The latency that a share of the calls stays below; a timeout is an endless latency. */
  quantile(share: number): number;
  /** How many calls took longer. */
  exceed(latencyMs: number): number;
}

export interface RuleArm {
  readonly total: RuleCounts;
  readonly stage: RuleCounts;
  /** The same stretches of time in both arms; the last one is still open. */
  readonly blocks: readonly RuleCounts[];
  readonly fatal: number;
  readonly last?: { readonly failed: boolean };
}

/** What a canary has shown so far; `stable` ran beside it, `history` before it. */
export interface RuleStats {
  readonly stage: { readonly index: number; readonly percent: number; readonly next: number };
  readonly canary: RuleArm;
  readonly stable: RuleArm;
  readonly history: { readonly n: number; readonly uniq: number; readonly discordant: number };
}

const policy = rolloutPolicy("live", "low");
const { latency } = policy.limits;

/** The rule as one pure function, asked after every canary call: on to the next stage, stay, or back to stable? */
export function decide(stats: RuleStats): "promote" | "hold" | "rollback" {
  return decideBy(stats, "uniq");
}

/** The same for a tool whose failed calls, in both arms, were run again on the stable version. */
export function decideVerified(stats: RuleStats): "promote" | "hold" | "rollback" {
  return decideBy(stats, "discordant");
}

function decideBy(stats: RuleStats, key: "uniq" | "discordant"): "promote" | "hold" | "rollback" {
  const { canary, stable, stage } = stats;
  const look = canary.total.n % lookEvery === 0 ? "all" : "failures";
  if (look === "failures" && canary.last?.failed === false && canary.fatal === 0) return "hold";
  const history = { calls: stats.history.n, failures: stats.history[key] };
  const evidence = gatherEvidence({ stats, key, history, look });
  const next = stage.percent >= 100 ? "none" : stage.next >= 100 ? "everybody" : "stage";
  const facts: Facts = {
    evidence,
    history,
    look,
    scope: "all",
    canary: outcomesOf(canary),
    stable: outcomesOf(stable),
    stage: { index: stage.index, canaryCalls: canary.stage.n, next },
  };
  const { answer } = judge(facts, policy);
  return answer === "go_on" ? "promote" : answer;
}

function gatherEvidence(from: {
  stats: RuleStats;
  key: "uniq" | "discordant";
  history: History;
  look: "all" | "failures";
}): Evidence {
  const { stats, key, history, look } = from;
  const { canary, stable } = stats;
  const last = canary.blocks.length - 1;
  let evidence: Evidence = noEvidence;
  for (const [index, counts] of canary.blocks.entries()) {
    const previous = stable.blocks[index - 1];
    const block: Block = {
      canary: sampleOf(counts, key),
      stable: sampleOf(stable.blocks[index] as RuleCounts, key),
      previousStable: previous && sampleOf(previous, key),
      state: index === last ? "open" : "closed",
    };
    if (index < last) evidence = addClosed(counts, { before: evidence, block, history });
    else
      evidence =
        look === "all" ? addBlock(evidence, block, { history, latency }) : addFailures(evidence, block, history);
  }
  return evidence;
}

interface Addition {
  readonly before: Evidence;
  readonly block: Block;
  readonly history: History;
}

/** Closed blocks do not change, and a rule is asked after every call: what they add up to is worked out once. */
const added = new WeakMap<RuleCounts, Addition & { readonly after: Evidence }>();

function addClosed(counts: RuleCounts, addition: Addition): Evidence {
  const known = added.get(counts);
  if (known !== undefined && isSame(known, addition)) return known.after;
  const after = addBlock(addition.before, addition.block, { history: addition.history, latency });
  added.set(counts, { ...addition, after });
  return after;
}

function isSame(one: Addition, other: Addition): boolean {
  return (
    one.before === other.before &&
    one.history.failures === other.history.failures &&
    one.history.calls === other.history.calls &&
    (["canary", "stable"] as const).every(
      (arm) => one.block[arm].calls === other.block[arm].calls && one.block[arm].failures === other.block[arm].failures,
    )
  );
}

function sampleOf(counts: RuleCounts, key: "uniq" | "discordant"): ArmSample {
  return {
    calls: counts.n,
    failures: counts[key],
    quantile: (share) => counts.quantile(share),
    above: (latencyMs) => counts.exceed(latencyMs),
  };
}

function outcomesOf({ total, fatal }: RuleArm) {
  return { calls: total.n, errors: total.errors, timeouts: total.timeouts, wrong: 0, fatal };
}
