import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterTest } from "./after-test.ts";

/** A folder of its own, without symlinks in its path, removed after the test. `t` is the test's (or suite's) context. */
export async function temporaryFolder(t: { after(hook: () => Promise<void>): void }): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "deckhand-test-"));
  afterTest(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return folder;
}
