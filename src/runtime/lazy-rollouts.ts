import type { Ledger } from "../core/ledger.ts";
import { routeStable, type RouteCall } from "../core/route-call.ts";
import type { Releases } from "../workshop/releases.ts";
import type { OpenedRollouts, RolloutsParts } from "./open-rollouts.ts";

export interface LazyRollouts {
  readonly releases: Releases;
  readonly route: RouteCall;
  watch(ledger: Ledger): Ledger;
  prepareFor(tool: string): Promise<void> | undefined;
  open(): Promise<OpenedRollouts>;
  /** What could not be done, in sentences. */
  warnings(): readonly string[];
}

/** The rollouts are loaded with the first tool file: most workdirs have none. */
export function createLazyRollouts(parts: RolloutsParts): LazyRollouts {
  let opened: OpenedRollouts | null = null;
  let opening: Promise<OpenedRollouts> | undefined;

  async function load(): Promise<OpenedRollouts> {
    const { openRollouts } = await import("./open-rollouts.ts");
    return (opened = openRollouts(parts));
  }

  const open = (): Promise<OpenedRollouts> => (opening ??= load());
  return {
    open,
    releases: {
      ready: async () => void (await open()),
      revision: () => opened?.releases.revision() ?? -1,
      isNew: (version) => opened?.releases.isNew(version) ?? true,
      introduce: async (version, author) => (await open()).releases.introduce(version, author),
      inUse: (toolName) => opened?.releases.inUse(toolName) ?? null,
    },
    route: (tool, execution) => (opened ? opened.route : routeStable)(tool, execution),
    watch(ledger) {
      let watched: Ledger | undefined;
      return {
        ...ledger,
        settled(execution, replay) {
          if (opened) watched ??= opened.watch(ledger);
          return (watched ?? ledger).settled(execution, replay);
        },
        flush: () => (watched ?? ledger).flush(),
      };
    },
    prepareFor: (tool) => opened?.prepareFor(tool),
    warnings: () => opened?.warnings ?? [],
  };
}
