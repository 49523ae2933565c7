import { spawnSync } from "node:child_process";

/** What a test may need from the machine and not find there, and how to get it; `.ci/run` requires most of them. */
const remedies = {
  bwrap: "install bubblewrap",
  tmpfs: "run as root on Linux",
  python: "install python3",
  rg: "install ripgrep",
  tmux: "install tmux",
  agents: "npm run test:agents",
  postgres: "install postgresql",
  browser: "install chromium",
  systemd: "run where systemd runs",
  root: "run as root",
  user: "run as an ordinary user",
  git: "install git",
  patch: "install patch",
  host: "run outside a container",
  full: "set DECKHAND_FULL=1",
} as const;
export type Lane = keyof typeof remedies;

const isRoot = process.getuid?.() === 0;

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
  return { skip: `${remedies[name]}: ${reason}` };
}

/** The options of a test that needs another user's things, which only root can make. */
export function rootLane(): { skip?: string } {
  return lane("root", isRoot || "only root can become another user, or give a file to one");
}

/** The options of a test about missing permissions, which root never misses. */
export function userLane(): { skip?: string } {
  return lane("user", !isRoot || "root may read and enter everything");
}

/** Asked of bubblewrap itself, not of the code under test. */
export const bwrapWorks: boolean =
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "true"]).status === 0;

let python: boolean | undefined;

/** Asked when a test wants to know: with pyenv the answer takes a while. */
export function hasPython(): boolean {
  return (python ??= spawnSync("python3", ["--version"]).status === 0);
}

/** The options of a test of this file, which needs Python if it is one of Python. */
export function laneOf(file: string): { skip?: string } {
  return file.endsWith(".py") ? lane("python", hasPython()) : {};
}

function requiredLanes(): string[] {
  const required = (process.env["DECKHAND_REQUIRE"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const unknown = required.filter((name) => !(name in remedies));
  if (unknown.length > 0) {
    throw new Error(
      `DECKHAND_REQUIRE names ${unknown.join(", ")}; the lanes are: ${Object.keys(remedies).join(", ")}.`,
    );
  }
  return required;
}
