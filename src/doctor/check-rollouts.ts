import { listDamaged, listReleases } from "../tool-files/rollout/release/release-documents.ts";
import { lookAtRollouts } from "../records/look-at-rollouts.ts";
import { countOf } from "../tools/format-bytes.ts";
import { ok, warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

const mostNamed = 5;

/** What is known of the versions of tool files, and whether all of it can be understood. */
export async function checkRollouts({ folders, configuration }: Subject): Promise<Check[]> {
  if (configuration.store.kind === "memory") return [];
  const store = await lookAtRollouts(folders.database);
  const damaged = listDamaged(store);
  if (damaged.length > 0) {
    const what = `What is known of the versions of ${nameSome(damaged)} is damaged.`;
    const fix = `The next command that loads the tool goes on with what was stable, as far as its history tells; see \`deckhand rollout history ${damaged[0]}\`.`;
    return [warning("rollouts", what, fix)];
  }
  const releases = listReleases(store);
  const mended = releases.filter(({ damage }) => damage).map(({ tool }) => tool);
  if (mended.length > 0) {
    const what = `What was known of the versions of ${nameSome(mended)} was damaged.`;
    return [
      warning("rollouts", what, `See whether the right one is stable: \`deckhand rollout explain ${mended[0]}\`.`),
    ];
  }
  const tried = releases.filter(({ rollout }) => rollout !== null && rollout.status !== "rolled_back");
  const trying =
    tried.length === 0 ? "nothing is being tried" : `tried now: ${nameSome(tried.map(({ tool }) => tool))}`;
  return [ok("rollouts", `Versions of ${countOf(releases.length, "tool file")} are known; ${trying}.`)];
}

function nameSome(tools: readonly string[]): string {
  const more = tools.length - mostNamed;
  return `${tools.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
