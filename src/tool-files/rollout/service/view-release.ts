import type { Assessment } from "../decision/assess.ts";
import { nextStep, type Step } from "../decision/choose-verdict.ts";
import type { RolloutPolicy } from "../decision/policy.ts";
import type { PolicyOf } from "../release/promotion-controller.ts";
import { type Lane, type LaneName, type Rollout, type ToolRelease, versionName } from "../release/tool-release.ts";
import type { RolloutView } from "./rollouts.ts";

/** A release as a person sees it. */
export function viewRelease(
  release: ToolRelease,
  known: {
    readonly policyOf: PolicyOf;
    readonly modeOf: (tool: string) => "off" | "canary";
    readonly toolFolder: string;
    /** What the counters of a lane say now; undefined before its first call. */
    readonly assess: (lane: LaneName) => Pick<Assessment, "cause" | "reason"> | undefined;
  },
): RolloutView {
  const { tool, fileName, stable, rollout, pinned } = release;
  const isTried = rollout?.status === "running";
  return {
    tool,
    file: `${known.toolFolder}/${fileName}`,
    mode: known.modeOf(tool),
    stable: versionName(tool, stable.hash),
    stableSince: stable.since,
    canary: rollout ? versionName(tool, rollout.hash) : null,
    percent: isTried ? rollout.lanes.live.percent : 0,
    stages: rollout ? sharesOf(known.policyOf(tool, rollout.risk, "live")) : [],
    status: rollout?.status ?? "none",
    isHeld: rollout !== null && rollout.held !== null,
    isPinned: pinned !== null,
    awaitsApproval:
      isTried && [rollout.lanes.live, rollout.lanes.scheduled].some(({ last }) => last?.cause === "approval"),
    reason: reasonOf(release, known.assess),
    startedAt: rollout?.startedAt ?? null,
  };
}

/** The share of each step to come from the first stage on, that of the holdback among them. */
function sharesOf(policy: RolloutPolicy): number[] {
  const shares = [policy.stages[0]!];
  let step: Pick<Step, "index" | "percent"> | undefined = { index: 0, percent: shares[0]! };
  while ((step = nextStep({ stage: step }, policy))) shares.push(step.percent);
  return shares;
}

type Assess = Parameters<typeof viewRelease>[1]["assess"];

function reasonOf({ rollout, pinned, out, fileHash, stable, damage }: ToolRelease, assess: Assess): string {
  const rolledBack = fileHash === stable.hash ? undefined : out[fileHash];
  const kept = rolledBack && `What the file has was rolled back: ${rolledBack.reason}`;
  const because = rollout ? whyOf(rollout, assess) : kept;
  const pin = pinned && (pinned.reason === because ? "Stable is pinned." : `Pinned: ${pinned.reason}`);
  const why = join(because, pin);
  const said = join(why, damage?.reason);
  return said === "" ? "Nothing is being tried." : said;
}

function whyOf(rollout: Rollout, assess: Assess): string {
  if (rollout.status !== "running") return rollout.reason;
  if (rollout.held) return `Held by ${rollout.held.who ?? "a rule"}: ${rollout.held.reason}`;
  const { scheduled } = rollout.lanes;
  const runs = scheduled.isUsed ? sentenceOf(scheduled, assess("scheduled")) : undefined;
  return join(sentenceOf(rollout.lanes.live, assess("live")), runs && `Scheduled: ${runs}`) || rollout.reason;
}

/** What the calls say by now. Between two looks nothing new is decided: what was reported before still counts then. */
function sentenceOf({ last, told = [] }: Lane, now: ReturnType<Assess>): string | undefined {
  if (now === undefined) return last?.reason;
  return now.cause === "no_look" && last && told.includes(last.cause) ? last.reason : now.reason;
}

/** Reasons have no full stop of their own, or have one. */
function join(first: string | null | undefined, second: string | null | undefined): string {
  return first && second ? `${first.replace(/[.]?$/, ".")} ${second}` : first || second || "";
}
