import { statfsSync } from "node:fs";

/** Some file systems refuse to write while a few blocks are still free. */
const lastBlocks = 16;

/** True when next to nothing can be written to the file system of this folder any more. */
export function isDiskFull(folder: string): boolean {
  try {
    const { bavail, bfree, blocks } = statfsSync(folder);
    // Some blocks are for root alone. Where there are no blocks at all, nothing is counted.
    const free = process.getuid?.() === 0 ? bfree : bavail;
    return blocks > 0 && free < Math.min(lastBlocks, blocks / 10);
  } catch {
    return false; // it can't be asked
  }
}
