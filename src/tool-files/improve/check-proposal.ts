import { readFileSync } from "node:fs";
import { completeTraits } from "../../core/define-tool.ts";
import { newCapabilities } from "./capabilities.ts";
import type { CheckName, CheckRow, Finding } from "./improvement.ts";
import { compareSchemas } from "./schema-compatibility.ts";
import { findWidening, type SpecPromises } from "./spec-widening.ts";
import type { ToolVersion } from "../custom-tool.ts";
import type { ToolFile, ToolHosts, ToolSpec } from "../host/tool-host.ts";
import { endSentence } from "../tool-file-status.ts";
import type { VersionStore } from "../versions/version-store.ts";
import { checkTypes, type TypeCheckPlace } from "./check-types.ts";
import { judgeRehearsal, type RehearsalPlace, type RehearsalOrder } from "./judge-rehearsal.ts";
import type { StagedProposal } from "./stage-proposal.ts";
import type { ReplayReport } from "../rollout/release/tool-release.ts";

export interface CheckPlace extends TypeCheckPlace, RehearsalPlace {
  readonly hosts: ToolHosts;
  readonly versions: VersionStore;
  /** Why this content may not come back; null when it may. */
  readonly whyOut: (hash: string) => string | null;
  /** Whether a new version may reach what the present one can't. */
  readonly mayReach: (names: readonly string[]) => Promise<boolean>;
}

export interface CheckedProposal {
  readonly findings: readonly Finding[];
  /** Null when it did not come so far. */
  readonly proposed: { readonly file: ToolFile; readonly spec: ToolSpec } | null;
  readonly replay: ReplayReport | null;
}

/** Checks a proposal until the first thing that is wrong with it. Nothing of it runs before its text was judged. */
export async function checkProposal(
  place: CheckPlace,
  staged: StagedProposal,
  { stable, ...cases }: RehearsalOrder & { readonly stable: ToolVersion },
): Promise<CheckedProposal> {
  const findings: Finding[] = [checkChange(place, staged, stable)];
  const isFailed = (): boolean => findings.at(-1)!.state === "failed" || place.signal.aborted;
  if (!isFailed()) findings.push(await checkReach(place, staged, stable));
  if (isFailed()) return { findings, proposed: null, replay: null };
  const file = place.versions.keep(staged.snapshot);
  const described = await place.hosts.describe(file);
  if (!described.ok) {
    const { message, line, hint } = described.problem;
    const detail = `${line === null ? "" : `Line ${line}: `}${endSentence(message)}${hint === null ? "" : ` ${hint}`}`;
    return { findings: [...findings, row("load", "failed", detail)], proposed: null, replay: null };
  }
  const { spec } = described;
  place.versions.writeSpec(file.hash, spec);
  const proposed = { file, spec };
  findings.push(row("load", "passed", `It is the tool ${spec.name}.`));
  for (const check of [checkName, checkSchema, checkPromises]) if (!isFailed()) findings.push(check(stable.spec, spec));
  if (!isFailed()) findings.push(await checkTypes(place, file, stable.file));
  if (isFailed()) return { findings, proposed, replay: null };
  const { findings: tried, replay } = await judgeRehearsal(place, { stable, proposed: file }, cases);
  return { findings: [...findings, ...tried], proposed, replay };
}

function checkChange(place: CheckPlace, { snapshot }: StagedProposal, stable: ToolVersion): Finding {
  if (snapshot.hash === stable.file.hash) return row("change", "failed", "It is the present version, unchanged.");
  const why = place.whyOut(snapshot.hash);
  if (why !== null) return row("change", "failed", `This very content was rolled back before: ${why}`);
  return row("change", "passed", "It is another content than the present one.");
}

async function checkReach(place: CheckPlace, { text }: StagedProposal, { file }: ToolVersion): Promise<Finding> {
  const { language } = file;
  const names = newCapabilities({ text: readFileSync(file.path, "utf8"), language }, { text, language });
  if (names.length === 0) return row("reach", "passed", "Its text reaches nothing new.");
  const list = names.join(", ");
  if (await place.mayReach(names)) return row("reach", "passed", `It may newly reach: ${list}.`);
  const detail = `It reaches what the present version does not: ${list}.`;
  return { ...row("reach", "failed", detail), forModel: `${detail} Do without.` };
}

function checkName(before: ToolSpec, { name }: ToolSpec): Finding {
  if (name === before.name) return row("name", "passed", "The name is the same.");
  return row("name", "failed", `It calls itself ${name}; the name must stay ${before.name}.`);
}

function checkSchema(before: ToolSpec, after: ToolSpec): Finding {
  const comparison = compareSchemas(before.inputSchema, after.inputSchema);
  if (comparison.compatible) return row("schema", "passed", "Every input that was taken still is.");
  return row("schema", "failed", `The input schema takes less than before. ${comparison.reason}`);
}

function checkPromises(before: ToolSpec, after: ToolSpec): Finding {
  const problems = findWidening(promisesOf(before), promisesOf(after));
  if (problems.length === 0)
    return row("promises", "passed", "Traits, limits, resources and cases are as strict as before.");
  return row("promises", "failed", problems.join(" "));
}

function promisesOf(spec: ToolSpec): SpecPromises {
  return { ...spec, traits: completeTraits({ category: "custom", ...spec.traits }) };
}

function row(check: CheckName, state: CheckRow["state"], detail: string): Finding {
  return { check, state, detail };
}
