import { clipText } from "../../../core/cut-text.ts";
import type { RolloutExplanation } from "../../../tool-files/rollout/service/rollouts.ts";
import { compareArms } from "./compare-arms.ts";
import { formatAge, formatDuration } from "../../../core/format-time.ts";
import { formatProbability, formatShare } from "../../terminal/format-share.ts";
import { describeChoices } from "./rollout-choices.ts";
import { renderStages, shortHash } from "./view-rollout.ts";
import { renderTable } from "../../terminal/table.ts";

type LaneName = keyof RolloutExplanation["lanes"];
type Assessment = NonNullable<RolloutExplanation["lanes"][LaneName]>;
type Replay = NonNullable<NonNullable<RolloutExplanation["release"]["rollout"]>["replay"]>;

interface Look {
  readonly now: number;
  readonly arrow: string;
  /** What is made of the text before it is shown; left out: nothing. */
  readonly show?: (text: string) => string;
  /** What it changes, as lines that are shown as they are; left out: it is not known. */
  readonly change?: readonly string[];
}

/** The sentence first, then all that led to it, then what a person can do. */
export function describeExplanation(explanation: RolloutExplanation, look: Look): string {
  const { view, release } = explanation;
  const replay = release.rollout?.replay;
  const { show = (text: string) => text, change = [] } = look;
  const sections = [
    [`${view.tool}: ${oneLine(view.reason)}`],
    describeFacts(explanation, look),
    describeLane(explanation, "live"),
    describeLane(explanation, "scheduled"),
    explanation.harm ? describeHarm(explanation.harm) : [],
    explanation.corrections ? describeCorrections(explanation.corrections) : [],
    replay ? describeReplay(replay) : [],
    change,
    describeChoices(explanation),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => (lines === change ? lines.join("\n") : show(lines.join("\n"))))
    .map((text) => `${text}\n`)
    .join("\n");
}

function describeFacts({ view, release }: RolloutExplanation, { now, arrow }: Look): string[] {
  const { rollout, pinned, out } = release;
  const stages = renderStages(view, arrow);
  const facts: [string, string][] = [
    ["file", view.file],
    ["stable", `${view.stable}, ${since(now - view.stableSince)}`],
  ];
  if (rollout && view.canary !== null) {
    facts.push(["canary", `${view.canary}, ${since(now - rollout.startedAt)}, ${origins[rollout.origin]}`]);
    facts.push(["share", `${view.percent} % of the conversations${stages === "" ? "" : `: ${stages}`}`]);
    facts.push(["risk", rollout.risk]);
    if (rollout.verifies)
      facts.push([
        "verified",
        "a failed call is run again on stable; of a read-only tool also one that timed out, after its answer",
      ]);
    if (rollout.held) facts.push(["held", saidBy(rollout.held)]);
  }
  if (pinned) facts.push(["pinned", saidBy(pinned)]);
  for (const [hash, why] of Object.entries(out).slice(0, mostOut))
    facts.push(["out", `${shortHash(hash)}, ${saidBy(why)}`]);
  return facts.map(([label, fact]) => `  ${label.padEnd(8)}  ${oneLine(fact)}`);
}

/** "For now" would say something else. */
function since(ageMs: number): string {
  const age = formatAge(ageMs);
  return age === "now" ? "since just now" : `for ${age}`;
}

const mostOut = 3;
const origins = { person: "your edit", agent: "changed during a call or task", improve: "made by improve" };

function saidBy({ who, by = "person", reason }: Said): string {
  return `by ${by === "rule" ? "the rule" : (who ?? "a person")}: ${reason}`;
}

interface Said {
  readonly who: string | null;
  readonly by?: "rule" | "person";
  readonly reason: string;
}

function describeLane(explanation: RolloutExplanation, name: LaneName): string[] {
  const assessment = explanation.lanes[name];
  const isUsed = explanation.release.rollout?.lanes[name].isUsed ?? false;
  if (name === "scheduled" && !isUsed) return [];
  const rows = compareArms(explanation, name);
  const table = renderTable({
    columns: [
      { title: name === "live" ? "LIVE CALLS" : "SCHEDULED RUNS" },
      { title: "STABLE", align: "right" },
      // The last column of a table is not aligned.
      ...(explanation.view.canary === null ? [] : [{ title: "CANARY", align: "right" } as const]),
      { title: "" },
    ],
    rows: explanation.view.canary === null ? rows.map(([label, stable]) => [label, stable]) : rows,
    width: undefined,
  });
  const said = assessment ? describeAssessment(assessment, explanation.view) : [];
  return [rows.length === 0 ? [] : [table.trimEnd()], said, describeKinds(explanation, name)]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function describeAssessment({ reason, missing, evidence }: Assessment, view: RolloutExplanation["view"]): string[] {
  const { probabilityWorse, probabilityUnsafe, tail } = evidence;
  // What was rolled back gets no calls: nothing comes of what its counts would say.
  const isRunning = view.status === "running";
  const lines = !isRunning || reason === view.reason ? [] : [`Asked now: ${oneLine(reason)}`];
  if (evidence.canary.calls > 0) {
    lines.push(
      `Worse than stable: ${formatProbability(probabilityWorse)} probable. Too bad for everybody: ${formatProbability(probabilityUnsafe)} probable.`,
    );
  }
  if (evidence.judgedBy === "pairs") {
    lines.push(`Of its failures ${evidence.judgedFailures} succeeded when they were run again on stable.`);
  }
  if (tail.calls > 0) {
    lines.push(
      `Slower than stable's p95: ${formatShare(tail.aboveP95)} of its calls, where 5 % is usual; slower than the limit allows: ${formatShare(tail.aboveLimit)}.`,
    );
  }
  if (isRunning && missing) {
    const time = missing.milliseconds === undefined ? "" : `, about ${formatDuration(missing.milliseconds)}`;
    lines.push(`Still missing: ${missing.canaryCalls} canary calls${time}.`);
  }
  return lines;
}

const mostKinds = 5;

/** Kinds of input of which the canary fails more than stable does. */
function describeKinds({ figures, lanes }: RolloutExplanation, lane: LaneName): string[] {
  const judged = lanes[lane]?.kind?.name;
  const kinds = figures.filter((row) => row.lane === lane && row.route === "canary" && row.kind !== "all");
  const worse = kinds.flatMap(({ kind, lastCalls }) => {
    const stable = figures.find((row) => row.lane === lane && row.route === "stable" && row.kind === kind);
    const canaryRate = failureRate(lastCalls);
    const stableRate = stable ? failureRate(stable.lastCalls) : 0;
    if (canaryRate <= stableRate) return [];
    const mark = kind === judged ? "; this is why" : "";
    const text = `  ${oneLine(kind)}: ${formatShare(canaryRate)} of ${lastCalls.calls} failed, on stable ${formatShare(stableRate)} of ${stable?.lastCalls.calls ?? 0}${mark}`;
    return [{ excess: canaryRate - stableRate, text }];
  });
  if (worse.length === 0) return [];
  const sorted = worse.toSorted((one, other) => other.excess - one.excess).slice(0, mostKinds);
  return [
    "Kinds of input that fail more often on the canary, of the last 100 calls:",
    ...sorted.map(({ text }) => text),
  ];
}

function failureRate({ errorRate, timeoutRate }: RolloutExplanation["figures"][number]["lastCalls"]): number {
  return (errorRate ?? 0) + (timeoutRate ?? 0);
}

const mostHarmed = 5;

function describeHarm({ harmed, saved, calls }: NonNullable<RolloutExplanation["harm"]>): string[] {
  if (harmed + saved === 0) return [];
  const shown = calls.slice(0, mostHarmed);
  return [
    `Failed calls of it that reached whoever had asked: ${harmed}; that stable answered instead: ${saved}.`,
    ...shown.map(({ executionId, error }) => `  ${executionId}  ${clipText(oneLine(error), 200)}`),
  ];
}

type Corrections = NonNullable<RolloutExplanation["corrections"]>;

function describeCorrections({ canary, stable }: Corrections): string[] {
  const count = ({ undo, feedback }: Corrections["canary"]): string =>
    undo + feedback === 0 ? "0" : `${undo + feedback} (${undo} /undo, ${feedback} feedback)`;
  if (canary.undo + canary.feedback + stable.undo + stable.feedback === 0) return [];
  return [`Corrections by users: ${count(canary)} of the canary, ${count(stable)} of stable.`];
}

const mostFlips = 5;

function describeReplay({ cases, passed, flips, skipped }: Replay): string[] {
  const lines = [`Replay: ${cases === 0 ? "nothing was tried" : `${passed} of ${cases} cases passed`} on it.`];
  if (skipped !== null) lines.push(oneLine(skipped));
  if (flips.length === 0) return lines;
  lines.push("Passed before, and fail now:");
  for (const { name, input, error } of flips.slice(0, mostFlips)) {
    lines.push(
      `  ${oneLine(name)}  ${clipText(JSON.stringify(input) ?? "", 200)}`,
      `    ${clipText(oneLine(error), 300)}`,
    );
  }
  if (flips.length > mostFlips) lines.push(`  and ${flips.length - mostFlips} more`);
  return lines;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
