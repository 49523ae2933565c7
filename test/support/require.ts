import { spawnSync } from "node:child_process";

/** What a test may need from the machine and not find there. `.ci/run` lists them all in DECKHAND_REQUIRE, but for systemd. */
const lanes = ["bwrap", "tmpfs", "python", "rg", "tmux", "agents", "postgres", "browser", "systemd"] as const;
export type Lane = (typeof lanes)[number];

/**
 * The options of a test that needs something from the machine: `test("…", lane("bwrap", await findBwrap()), …)`.
 * `available` is true, or the reason why not. Without it the test is skipped with that reason; where DECKHAND_REQUIRE
 * (a comma list) names the lane, a skip would hide a failure, so this throws.
 */
export function lane(name: Lane, available: boolean | string): { skip?: string } {
  const required = requiredLanes();
  if (available === true) return {};
  const reason = available === false ? `${name} is not available on this machine` : available;
  if (required.includes(name)) {
    throw new Error(`The lane "${name}" is required here (DECKHAND_REQUIRE), but it cannot run: ${reason}.`);
  }
  return { skip: reason };
}

/** Asked of bubblewrap itself, not of the code under test. */
export const bwrapWorks: boolean =
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "true"]).status === 0;

function requiredLanes(): string[] {
  const required = (process.env["DECKHAND_REQUIRE"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const unknown = required.filter((name) => !lanes.some((known) => known === name));
  if (unknown.length > 0) {
    throw new Error(`DECKHAND_REQUIRE names ${unknown.join(", ")}; the lanes are: ${lanes.join(", ")}.`);
  }
  return required;
}
