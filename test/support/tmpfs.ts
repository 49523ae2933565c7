import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterTest } from "./after-test.ts";

/** For `lane("tmpfs", …)`: true, or why no small file system can be mounted here. */
export function tmpfsAvailable(): true | string {
  if (process.platform !== "linux") return "only Linux has tmpfs";
  if (process.getuid?.() !== 0) return "mounting a tmpfs needs root";
  try {
    const folder = mount("64k");
    unmount(folder);
    return true;
  } catch (thrown) {
    return `mounting a tmpfs failed: ${String(thrown)}`;
  }
}

/** A file system of that size, such as "1m", gone after the test. */
export function mountTmpfs(t: Parameters<typeof afterTest>[0], size: string): string {
  const folder = mount(size);
  // What was opened in it is closed before it goes.
  afterTest(t, async () => unmount(folder));
  return folder;
}

export function remount(folder: string, option: "ro" | "rw"): void {
  execFileSync("mount", ["-o", `remount,${option}`, folder], { stdio: "pipe" });
}

function mount(size: string): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "deckhand-tmpfs-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], { stdio: "pipe" });
  return folder;
}

function unmount(folder: string): void {
  execFileSync("umount", ["--lazy", folder], { stdio: "pipe" });
  rmdirSync(folder);
}
