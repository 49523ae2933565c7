import { once } from "node:events";
import { spawnClean } from "./run/spawn-clean.ts";

/** Hands an address or a file to the desktop. False where there is none that takes it. */
export async function openInBrowser(
  target: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  try {
    const child = spawnClean(program, [target], { env, detached: true, stdio: ["ignore", "ignore", "ignore"] });
    await once(child, "spawn");
    child.unref();
    return true;
  } catch {
    return false; // It is not installed.
  }
}
