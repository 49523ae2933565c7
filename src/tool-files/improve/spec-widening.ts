import type { Resource } from "../../core/resource.ts";
import type { ToolTraits } from "../../core/tool.ts";
import { isSame } from "./schema-keywords.ts";

/** What a tool promises of itself, beside its schema. */
export interface SpecPromises {
  readonly traits: ToolTraits;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  readonly resources?: readonly Resource[];
  readonly cases: readonly { readonly name: string }[];
}

/** What the new spec allows itself, or no longer promises; sentences, none when it is as strict as before. */
export function findWidening(before: SpecPromises, after: SpecPromises): string[] {
  return [
    ...traitsWidened(before.traits, after.traits),
    ...limitWidened("timeout_ms", before.timeoutMs, after.timeoutMs),
    ...limitWidened("idle_ms", before.idleMs, after.idleMs),
    // Calls are allowed, and run side by side, by what they say that they touch.
    ...(isSame(before.resources, after.resources) ? [] : ["It changes its resources."]),
    // Who is tried does not write the cases.
    ...before.cases.flatMap((kept) => (after.cases.some((each) => isSame(kept, each)) ? [] : [tellCase(kept.name)])),
  ];
}

const risks = ["low", "medium", "high"];
const replays = ["never", "check", "safe"];

function traitsWidened(before: ToolTraits, after: ToolTraits): string[] {
  const problems: string[] = [];
  if (before.readOnly && !after.readOnly) problems.push("It says that it changes things now.");
  if (!before.readOnly && after.readOnly)
    problems.push("It says that it changes nothing now: calls would not be asked about.");
  if (risks.indexOf(after.risk) < risks.indexOf(before.risk)) {
    problems.push(`It lowers its risk from ${before.risk} to ${after.risk}.`);
  }
  if (replays.indexOf(after.replay) > replays.indexOf(before.replay)) {
    problems.push(`It says that a replay is "${after.replay}", and was "${before.replay}".`);
  }
  if (after.idempotent && !before.idempotent) problems.push("It says that it is idempotent, and was not.");
  const places = after.offeredIn.filter((place) => !before.offeredIn.includes(place));
  if (places.length > 0) problems.push(`It offers itself in ${places.join(", ")}, and did not.`);
  if (after.category !== before.category) problems.push(`It changes its category to "${after.category}".`);
  return problems;
}

function limitWidened(name: string, before: number | undefined, after: number | undefined): string[] {
  if (after === before || (before !== undefined && after !== undefined && after < before)) return [];
  const show = (value: number | undefined): string => (value === undefined ? "left out" : String(value));
  return [`It changes ${name} from ${show(before)} to ${show(after)}.`];
}

function tellCase(name: string): string {
  return `It changes or removes the case "${name}".`;
}
