import type { RolloutReader } from "../../../core/rollout-store.ts";
import { recallRelease } from "../release/recall-release.ts";
import { isReleaseDamaged } from "../release/release-documents.ts";
import { firstRelease, type Content } from "../release/release-steps.ts";
import type { ToolRelease } from "../release/tool-release.ts";
import type { VersionStore } from "../../versions/version-store.ts";
import type { Workshop } from "../../open-tool-files.ts";

export type RecallPlace = Pick<Workshop, "openVersion"> & {
  readonly versions: Pick<VersionStore, "listHashes" | "findLastGood">;
};

/** A history is read to its end, whatever became of the tool since. */
const mostEvents = 5000;

/**
 * What is known of a tool whose release is damaged: by its history, or by the content that worked last. Only what can be run
 * counts. Undefined when it is not damaged, or when nothing tells what was stable. Reads files.
 */
export function recallDamaged(
  reader: RolloutReader,
  content: Content,
  { openVersion, versions }: RecallPlace,
): ToolRelease | undefined {
  const { tool, fileName } = content;
  if (!isReleaseDamaged(reader, tool)) return undefined;
  const hashes = [content.hash, ...versions.listHashes()];
  const fullHash = (beginning: string): string | undefined => hashes.find((hash) => hash.startsWith(beginning));
  const canRun = (hash: string): boolean => openVersion(fileName, hash)?.spec.name === tool;
  const recalled = recallRelease(reader.listEvents({ tool, limit: mostEvents }), content, fullHash);
  if (recalled && canRun(recalled.stable.hash)) return recalled;
  const hash = versions.findLastGood(fileName)?.hash;
  if (hash === undefined || !canRun(hash)) return undefined;
  return { ...firstRelease({ ...content, hash }, 0), fileHash: "", out: recalled?.out ?? {} };
}
