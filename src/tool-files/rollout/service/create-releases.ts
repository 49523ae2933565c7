import type { RolloutStore } from "../../../core/stores.ts";
import type { ToolVersionRegistry } from "../release/tool-version-registry.ts";
import type { Releases } from "../../versions/released-versions.ts";

/** What the tool files ask about releases. Where the store can't be read, what the files have is the truth. */
export function createReleases(
  { registry, store }: { readonly registry: ToolVersionRegistry; readonly store: Pick<RolloutStore, "revision"> },
  introduce: Releases["introduce"],
): Releases {
  return {
    ready: () => Promise.resolve(),
    introduce,
    revision() {
      try {
        return store.revision();
      } catch {
        return 0;
      }
    },
    isNew({ spec, file, fileName }) {
      try {
        const release = registry.find(spec.name);
        return release?.fileHash !== file.hash || release.fileName !== fileName;
      } catch {
        return false;
      }
    },
    inUse(toolName) {
      try {
        const release = registry.find(toolName);
        if (!release) return null;
        const { fileName, rollout, stable, out, pinned } = release;
        const isTried = rollout?.status === "running" || rollout?.status === "replaying";
        const canary = isTried ? rollout.hash : null;
        return { fileName, stable: stable.hash, canary, out: Object.keys(out), isPinned: pinned?.by === "person" };
      } catch {
        return null;
      }
    },
  };
}
