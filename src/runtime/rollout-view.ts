import type { PolicyOf } from "../rollout/release/promotion-controller.ts";
import type { Rollout, ToolRelease } from "../rollout/release/tool-release.ts";
import { versionName } from "../rollout/release/version-name.ts";
import type { RolloutView } from "./rollouts.ts";

/** A release as a person sees it. */
export function viewRelease(
  release: ToolRelease,
  known: {
    readonly policyOf: PolicyOf;
    readonly modeOf: (tool: string) => "off" | "canary";
    readonly toolFolder: string;
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
    stages: rollout ? known.policyOf(tool, rollout.risk, "live").stages : [],
    status: rollout?.status ?? "none",
    isHeld: rollout !== null && rollout.held !== null,
    isPinned: pinned !== null,
    awaitsApproval:
      isTried && [rollout.lanes.live, rollout.lanes.scheduled].some(({ last }) => last?.cause === "approval"),
    reason: reasonOf(release),
    startedAt: rollout?.startedAt ?? null,
  };
}

function reasonOf({ rollout, pinned, out, fileHash, stable, damage }: ToolRelease): string {
  const rolledBack = fileHash === stable.hash ? undefined : out[fileHash];
  const kept = rolledBack && `What the file has was rolled back: ${rolledBack.reason}`;
  const why = join(rollout ? whyOf(rollout) : kept, pinned && `Pinned: ${pinned.reason}`);
  const said = join(why, damage?.reason);
  return said === "" ? "Nothing is being tried." : said;
}

function whyOf(rollout: Rollout): string {
  if (rollout.status !== "running") return rollout.reason;
  if (rollout.held) return `Held by ${rollout.held.who ?? "a rule"}: ${rollout.held.reason}`;
  const { live, scheduled } = rollout.lanes;
  return join(live.last?.reason, scheduled.last && `Scheduled: ${scheduled.last.reason}`) || rollout.reason;
}

/** Reasons have no full stop of their own, or have one. */
function join(first: string | null | undefined, second: string | null | undefined): string {
  return first && second ? `${first.replace(/[.]?$/, ".")} ${second}` : first || second || "";
}
