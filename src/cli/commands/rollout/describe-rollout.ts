import { clipText } from "../../../core/text.ts";
import { formatAge, formatDuration } from "../../../core/time.ts";
import type { FiguresRow, RolloutExplanation } from "../../../tool-files/rollout/service/rollouts.ts";
import { renderTable } from "../../terminal/table.ts";
import { renderStages, shortHash } from "./view-rollout.ts";

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

/** What a person can do about it now, each with its command. */
function describeChoices(explanation: RolloutExplanation): string[] {
  const { tool } = explanation.view;
  const choices = choicesOf(explanation);
  if (choices.length === 0) return [];
  const commands = choices.map(([words]) => {
    const [name, ...options] = words.split(" ");
    return ["deckhand rollout", name, tool, ...options].join(" ");
  });
  const width = Math.max(...commands.map(({ length }) => length));
  return ["What you can do:", ...choices.map(([, what], index) => `  ${commands[index]!.padEnd(width)}  ${what}`)];
}

type Choice = readonly [words: string, what: string];

function choicesOf({ view, release }: RolloutExplanation): Choice[] {
  const { percent } = view;
  const unpin: Choice[] = view.isPinned ? [["resume", "let other contents out again"]] : [];
  const back: Choice[] = [
    ["rollback", "stable for everybody again"],
    ["rollback --hard", "the same, and pin stable"],
  ];
  const everybody: Choice = ["promote --all", "give it to everybody now"];
  switch (view.status) {
    case "running":
      return [
        ["promote", view.awaitsApproval ? "agree to the next stage" : "take the next stage now"],
        everybody,
        view.isHeld ? ["resume", "let it go on by itself"] : ["hold", `stay at ${percent} %`],
        ...back,
      ];
    case "blocked":
      return [everybody, ...back];
    case "replaying":
      return [everybody, ["hold", "keep it from going on afterwards"], ...back];
    case "rolled_back":
      return [
        ["resume", "try it again from the first stage"],
        everybody,
        ...(view.isPinned ? [] : [["rollback --hard", "pin stable: nothing else gets out"] as const]),
      ];
    case "none": {
      const { earlier, out, stable, fileHash } = release;
      const before = earlier.find(({ hash }) => out[hash] === undefined && hash !== stable.hash);
      const isOut = out[fileHash] !== undefined && fileHash !== stable.hash;
      return [
        ...(isOut && unpin.length === 0 ? [["resume", "look at what the file has as if it were new"] as const] : unpin),
        ...(before ? [["rollback", `go back to ${shortHash(before.hash)}, which was stable before`] as const] : []),
      ];
    }
  }
}

type Figures = FiguresRow["lastCalls"];
type Row = readonly [label: string, stable: string, canary: string];

/** Stable and canary side by side: since it began, over the last calls, over the last minutes. */
function compareArms({ view, lanes, figures }: RolloutExplanation, lane: FiguresRow["lane"]): Row[] {
  const find = (route: FiguresRow["route"], version: string | null): FiguresRow | undefined =>
    figures.find((row) => row.lane === lane && row.route === route && row.version === version && row.kind === "all");
  const stable = find("stable", view.stable);
  const canary = find("canary", view.canary);
  const evidence = lanes[lane]?.evidence;
  return [
    ...(evidence && evidence.canary.calls + evidence.stable.calls > 0
      ? compareCounts(evidence.stable, evidence.canary)
      : []),
    ...compareFigures("last 100 calls", stable?.lastCalls, canary?.lastCalls),
    ...compareFigures("last 30 minutes", stable?.lastMinutes, canary?.lastMinutes),
  ];
}

type Counts = NonNullable<RolloutExplanation["lanes"]["live"]>["evidence"]["canary"];

function compareCounts(stable: Counts, canary: Counts): Row[] {
  const row = (label: string, tell: (counts: Counts) => string): Row => [label, tell(stable), tell(canary)];
  const rows = [
    row("since it began", ({ calls }) => String(calls)),
    row("  failed", ({ calls, failures }) => (failures === 0 ? "0" : `${failures} (${formatShare(failures / calls)})`)),
    row("  of them timeouts", ({ timeouts }) => String(timeouts)),
  ];
  if (stable.wrong + canary.wrong > 0) rows.push(row("  of them wrong results", ({ wrong }) => String(wrong)));
  return stable.fatal + canary.fatal === 0 ? rows : [...rows, row("  of them fatal", ({ fatal }) => String(fatal))];
}

/** What is known of neither is left out. */
function compareFigures(window: string, stable: Figures | undefined, canary: Figures | undefined): Row[] {
  if ((stable?.calls ?? 0) + (canary?.calls ?? 0) === 0) return [];
  const cell = (figures: Figures | undefined, [, key, format]: Line): string => {
    const value = figures?.[key] ?? null;
    return value === null ? "-" : format(value);
  };
  const rows = lines.map((line): Row => [`  ${line[0]}`, cell(stable, line), cell(canary, line)]);
  return [
    [window, String(stable?.calls ?? 0), String(canary?.calls ?? 0)],
    ...rows.filter(([, ...cells]) => cells.some((text) => text !== "-")),
  ];
}

type Line = readonly [label: string, key: Exclude<keyof Figures, "calls">, format: (value: number) => string];

const lines: readonly Line[] = [
  ["errors", "errorRate", formatShare],
  ["timeouts", "timeoutRate", formatShare],
  ["p50", "p50", formatDuration],
  ["p95", "p95", formatDuration],
  ["p99", "p99", formatDuration],
  ["retries", "retryRate", formatShare],
  ["right form", "formatPassRate", formatShare],
  ["asked again", "followUpRate", formatShare],
  ["corrected", "correctionRate", formatShare],
];

/** `2.7 %`, with as many digits as say something; almost all is not all. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 99 && percent < 100) return `${Math.floor(percent * 10) / 10} %`;
  const digits = percent >= 10 ? 0 : percent >= 0.1 ? 1 : 2;
  return `${Number(percent.toFixed(digits))} %`;
}

/** A probability is never called certain. */
export function formatProbability(share: number): string {
  if (share > 0.999) return "more than 99.9 %";
  return share < 0.001 ? "less than 0.1 %" : formatShare(share);
}
