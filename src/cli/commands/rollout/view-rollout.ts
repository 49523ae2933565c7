import type { RolloutView } from "../../../tool-files/rollout/service/rollouts.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** How it stands, in a word or two. */
export function describeStatus(view: RolloutView): RolloutWord {
  const { status } = view;
  if (status === "running") return view.awaitsApproval ? "waits for you" : view.isHeld ? "held" : "running";
  if (status === "rolled_back") return view.isPinned ? "pinned" : "rolled back";
  if (status === "none") return view.isPinned ? "pinned" : "stable";
  return status;
}

type RolloutWord = "running" | "held" | "waits for you" | "replaying" | "blocked" | "rolled back" | "pinned" | "stable";

/** `10 ▸ [30] ▸ 60 ▸ 100`; empty where nobody gets it, and none is about to. */
export function renderStages({ status, percent, stages }: RolloutView, arrow: string): string {
  if (status !== "running" && status !== "replaying") return "";
  const all = percent === 0 || stages.includes(percent) ? stages : [...stages, percent].toSorted((a, b) => a - b);
  return all.map((stage) => (stage === percent ? `[${stage}]` : String(stage))).join(` ${arrow} `);
}

/** What the terminal can show for sure. */
export function chooseArrow({ env, width }: Pick<Terminal, "env" | "width">): string {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return width !== undefined && /utf-?8/i.test(locale) ? "▸" : ">";
}

/** As much of a hash as people are shown; also of `name@hash`. */
export function shortHash(version: string): string {
  return version.slice(version.lastIndexOf("@") + 1).slice(0, 12);
}
