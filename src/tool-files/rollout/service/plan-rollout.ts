import { compareSchemas } from "../../improve/schema-compatibility.ts";
import type { Terms } from "../release/introduce-content.ts";
import type { ToolRelease } from "../release/tool-release.ts";
import type { ToolVersion } from "../../custom-tool.ts";
import type { Workshop } from "../../open-tool-files.ts";
import { policyFor, rolloutModeFor, type RolloutConfiguration } from "../../../config/rollout-settings.ts";

/** Makes the terms on which a content is introduced; they hold as long as `release` does. Reads files. */
export function makeTerms(
  { settings, openVersion }: { readonly settings: RolloutConfiguration; readonly openVersion: Workshop["openVersion"] },
  version: ToolVersion,
  { release, isInFile }: { readonly release: ToolRelease | undefined; readonly isInFile: boolean },
): Terms {
  const { spec, fileName, tool } = version;
  const own = tool.traits.risk === "high" ? "high" : "low";
  const { risk } = policyFor(settings, { tool: spec.name, risk: own, lane: "live" });
  const open = (hash: string): ToolVersion | undefined =>
    hash === version.file.hash ? version : openVersion(fileName, hash);
  const stable = release && open(release.stable.hash);
  const earlier = release && !stable ? findEarlier(release, open) : undefined;
  const beside = stable ?? earlier;
  return {
    mode: rolloutModeFor(settings, spec.name),
    window: settings.window,
    isInFile,
    against: release?.stable.hash ?? null,
    ...(release && !stable && { standIn: { hash: earlier?.file.hash ?? null } }),
    risk,
    verifies: tool.traits.idempotent,
    blocked: beside ? whyBlocked(beside, version) : null,
  };
}

/** The newest of those before the stable one that is there and may be used. */
function findEarlier(
  { earlier, out }: ToolRelease,
  open: (hash: string) => ToolVersion | undefined,
): ToolVersion | undefined {
  for (const { hash } of earlier) {
    const found = out[hash] ? undefined : open(hash);
    if (found) return found;
  }
  return undefined;
}

/** The call was allowed, and its input checked, for what stable says of itself. */
function whyBlocked(stable: ToolVersion, canary: ToolVersion): string | null {
  const promises = ({ tool, spec }: ToolVersion): string => JSON.stringify([tool.traits, spec.resources ?? null]);
  const { name } = stable.spec;
  const advice = `A person has to decide: \`deckhand rollout promote ${name} --all\`, or \`deckhand rollout rollback ${name}\`.`;
  if (promises(stable) !== promises(canary)) {
    return `It can't be tried beside the stable version: its traits or resources are others. ${advice}`;
  }
  const schemas = compareSchemas(stable.spec.inputSchema, canary.spec.inputSchema);
  if (schemas.compatible) return null;
  return `It can't be tried beside the stable version: its input is another one (${schemas.reason}) ${advice}`;
}
