import { toWire, timeToWire } from "../../../core/wire.ts";
import type { RolloutExplanation, RolloutView } from "./rollouts.ts";

/** Times that have no "at" in their names are times all the same, here and below. */
export function viewToWire(view: RolloutView): object {
  return { ...(toWire(view) as object), stable_since: timeToWire(view.stableSince) };
}

export function explanationToWire({ view, release, lanes, figures, ...rest }: RolloutExplanation): object {
  const { stable, earlier, ...others } = release;
  return {
    view: viewToWire(view),
    release: { ...(toWire(others) as object), stable: versionToWire(stable), earlier: earlier.map(versionToWire) },
    lanes: toWire(lanes),
    figures: toWire(figures),
    ...(toWire(rest) as Pick<RolloutExplanation, "harm" | "corrections">),
  };
}

type StableVersion = RolloutExplanation["release"]["stable"];

function versionToWire(version: StableVersion & { readonly until?: number }): object {
  return {
    hash: version.hash,
    since: timeToWire(version.since),
    ...(version.until === undefined ? {} : { until: timeToWire(version.until) }),
    origin: version.origin,
  };
}
