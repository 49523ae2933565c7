import { ok, problem, warning, type Check } from "./doctor-check.ts";

const neededNode = 24;

export function checkNode(version: string): Check {
  if (Number.parseInt(version, 10) >= neededNode) return ok("node", `Node ${version}.`);
  return problem(
    "node",
    `Node ${version} is too old: Deckhand needs ${neededNode} or newer.`,
    "Install a newer one from https://nodejs.org.",
  );
}

/** What the operating system lets us promise (G10). */
export function checkPlatform(platform: string): Check {
  switch (platform) {
    case "linux":
      return ok("platform", "Linux: every promise was tested on it.");
    case "darwin":
      return warning(
        "platform",
        "macOS: the sandbox (Seatbelt) was never run by a test, a process that leaves its tree can survive a stop, and a file may be swapped between check and use.",
        "For work that nobody watches use Linux, in a virtual machine or a container.",
      );
    default:
      return problem(
        "platform",
        `${platform} is not supported: Deckhand runs on Linux and macOS.`,
        platform === "win32" ? "Run it inside WSL 2." : "Run it on Linux or macOS.",
      );
  }
}
