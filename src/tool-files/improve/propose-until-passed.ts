import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";
import type { Folders } from "../../config/folders.ts";
import { unifiedDiff } from "../../core/unified-diff.ts";
import { claimDataFolder } from "../../records/claim-data-folder.ts";
import { versionName, type ToolVersion } from "../custom-tool.ts";
import type { ToolFile } from "../host/tool-host.ts";
import { chooseCases, mayReplay } from "../rollout/replay/choose-cases.ts";
import type { ReplayCase } from "../rollout/replay/replay-case.ts";
import { listRecorded } from "../rollout/service/replay-canary.ts";
import { readToolFile, type Snapshot } from "../scan/read-tool-file.ts";
import type { Proposal, Proposer } from "./ask-for-patch.ts";
import { checkProposal, type CheckPlace } from "./check-proposal.ts";
import type { KnownFailure } from "./collect-failures.ts";
import { improveRequest, refusalRequest } from "./improve-prompt.ts";
import type { ImproveOrder, ImproveParts } from "./improve-tool.ts";
import type { Attempt, Finding, Improvement } from "./improvement.ts";
import type { RehearsalOrder } from "./judge-rehearsal.ts";

export interface Proposed extends Pick<Improvement, "outcome" | "sentence" | "attempts"> {
  readonly last: LastProposal;
}

/** `snapshot`: what passed; null when it did not. */
export interface LastProposal extends Pick<Improvement, "to" | "summary" | "diff" | "replay"> {
  readonly snapshot: Snapshot | null;
}

interface Subject {
  readonly stable: ToolVersion;
  readonly failures: readonly KnownFailure[];
  /** The inputs of those, and more of them. */
  readonly failing: readonly ReplayCase[];
  readonly proposer: Proposer;
  readonly modelId: string;
}

/** Asks, checks, and says why not, until a proposal passes or there were enough. */
export async function proposeUntilPassed(
  parts: ImproveParts,
  order: ImproveOrder,
  subject: Subject,
): Promise<Proposed> {
  const { stable, failures, proposer, modelId } = subject;
  const rehearsal = await chooseRehearsal(parts, order, subject);
  const attempts: Attempt[] = [];
  let last = nothingYet;
  const end = (outcome: Proposed["outcome"], sentence: string): Proposed => ({ outcome, sentence, attempts, last });
  const stopped = (): Proposed => ({ ...end("stopped", "Stopped; nothing was started."), last: nothingYet });
  let request = improveRequest({ file: stable.file.shown, content: textOf(stable), failures });
  for (let attempt = 1; ; attempt++) {
    order.onStep(`asking ${modelId} (${attempt} of ${order.attempts})`);
    const proposal = await proposer.ask(request);
    if (order.signal.aborted) return stopped();
    if (proposal.ok === "no_reply") return end("refused", `${modelId} gave no answer: ${proposal.reason}`);
    const judged = await judgeProposal(parts, order, { stable, rehearsal, proposal });
    if (order.signal.aborted) return stopped();
    last = judged.last;
    attempts.push({ staged: judged.staged, checks: judged.findings.map(toRow) });
    const finding = judged.findings.at(-1)!;
    if (finding.state !== "failed") return end("passed", `${last.to} passed all checks.`);
    if (attempt >= order.attempts)
      return end(finding.check === "reach" ? "declined" : "refused", tellEnd(finding, attempt));
    order.onRefused(finding.detail);
    request = refusalRequest([finding.forModel ?? finding.detail]);
  }
}

const nothingYet: LastProposal = { to: null, summary: "", diff: "", replay: null, snapshot: null };

function toRow({ check, state, detail }: Finding): Attempt["checks"][number] {
  return { check, state, detail };
}

function tellEnd({ check, detail }: Finding, attempts: number): string {
  const more = attempts === 1 ? "" : ` It was the last of ${attempts} proposals.`;
  const hint = check === "reach" ? " Allow it with --allow-capability, if it needs that." : "";
  return `Refused: ${detail}${more}${hint}`;
}

interface Judged {
  readonly findings: readonly Finding[];
  readonly staged: string | null;
  readonly last: LastProposal;
}

async function judgeProposal(
  parts: ImproveParts,
  order: ImproveOrder,
  subject: { readonly stable: ToolVersion; readonly rehearsal: RehearsalOrder; readonly proposal: Proposal },
): Promise<Judged> {
  const { stable, rehearsal, proposal } = subject;
  if (!proposal.ok) {
    return { findings: [{ check: "reply", state: "failed", detail: proposal.reason }], staged: null, last: nothingYet };
  }
  order.onStep("checking the proposal");
  const { spec, file, fileName } = stable;
  const before = textOf(stable);
  const text = keepLineEnds(before, proposal.content);
  const staged = stageProposal(parts.folders, { ...file, name: fileName }, { tool: spec.name, text });
  const diff = unifiedDiff(before, text, { from: file.shown, to: file.shown }) ?? "Too long to be shown.";
  const place = await openPlace(parts, order, { tool: spec.name, diff });
  const checked = await checkProposal(place, staged, { stable, ...rehearsal });
  const findings = [hasFile, ...checked.findings];
  const isPassed = findings.at(-1)!.state !== "failed";
  if (checked.proposed && !isPassed) void place.hosts.retire(checked.proposed.file);
  const { snapshot } = staged;
  const to = checked.proposed && versionName(spec.name, snapshot.hash);
  const { replay } = checked;
  const { summary } = proposal;
  const last = { to, summary, diff, replay, snapshot: isPassed ? snapshot : null };
  return { findings, staged: staged.shown, last };
}

const hasFile: Finding = { check: "reply", state: "passed", detail: "It has one whole file." };

function textOf({ file }: ToolVersion): string {
  return readFileSync(file.path, "utf8");
}

/** Models write line feeds. */
function keepLineEnds(before: string, after: string): string {
  return before.includes("\r\n") ? after.replaceAll(/\r?\n/g, "\r\n") : after;
}

async function openPlace(
  { workshop, folders, clock, processes, env, replay, whyOut }: ImproveParts,
  { signal, mayReach }: ImproveOrder,
  { tool, diff }: { readonly tool: string; readonly diff: string },
): Promise<CheckPlace> {
  return {
    hosts: await workshop.openHosts(),
    versions: workshop.versions,
    clock,
    processes,
    env,
    workdir: folders.workdir,
    signal,
    folder: stagingFolder(folders, tool),
    caseMs: replay.timeoutMs,
    totalMs: Math.max(leastTotalMs, replay.timeoutMs * 12),
    whyOut: (hash) => whyOut(tool, hash),
    mayReach: (names) => mayReach(names, diff),
  };
}

const leastTotalMs = 60_000;

async function chooseRehearsal(parts: ImproveParts, order: ImproveOrder, subject: Subject): Promise<RehearsalOrder> {
  const { tool, spec } = subject.stable;
  const most = order.cases ?? parts.replay.calls;
  const recorded = await listRecorded(parts.list, tool.name, most);
  const cases = chooseCases({ fixed: spec.cases, recorded, traits: tool.traits, most });
  if (mayReplay(tool.traits)) {
    const whyNone = "The inputs of the recorded failures have masked secrets or were cut, so nobody knows them.";
    return { cases, failures: subject.failing, whyNone };
  }
  const whyNone =
    "Whether it mends anything can't be tried: the tool changes things, so no recorded call is run again.";
  return { cases, failures: [], whyNone };
}

export interface StagedProposal {
  /** The stable version with another content of its file; what it imports from the folder is the same. */
  readonly snapshot: Snapshot;
  readonly text: string;
  /** Of the staged file, relative to the workdir. */
  readonly shown: string;
}

/** Puts a proposed content where people can look at it. Nothing loads it from there. Throws the system's error. */
function stageProposal(
  folders: Folders,
  stable: ToolFile & { readonly name: string },
  proposed: { readonly tool: string; readonly text: string },
): StagedProposal {
  const { name } = stable;
  const read = readToolFile(dirname(stable.path), name, Buffer.from(proposed.text));
  if (!read.ok) throw new Error(`${stable.shown}: ${read.problem.message}`);
  const { snapshot } = read;
  claimDataFolder(folders);
  const folder = stagingFolder(folders, proposed.tool);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${snapshot.hash}${extname(name)}`);
  writeFileSync(path, proposed.text, { mode: 0o600 });
  chmodSync(path, 0o600);
  return { snapshot, text: proposed.text, shown: relative(folders.workdir, path) };
}

function stagingFolder(folders: Folders, tool: string): string {
  return join(folders.data, "staging", tool);
}
