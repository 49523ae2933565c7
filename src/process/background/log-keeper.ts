import { readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openLogWriter } from "./background-log.ts";

/**
 * A program of its own: `log-keeper FOLDER BYTES`. Puts what a kept process prints, which comes on stdin, into its log, as long as
 * anything has the other end; its owner may have ended long before. The pipe goes last: whoever waits for the whole log waits for that.
 */
const [folder = "", maxBytes = ""] = process.argv.slice(2);
const log = openLogWriter(folder, Number(maxBytes));
const buffer = Buffer.allocUnsafeSlow(64 * 1024);
for (let count = 1; count > 0;) {
  count = readSync(0, buffer, 0, buffer.length, null);
  log.write(buffer.subarray(0, count));
}
log.close();
rmSync(join(folder, "output.pipe"), { force: true });
