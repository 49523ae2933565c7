import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makePrivateFolder } from "../../src/process/sandbox/private-folder.ts";
import { seatbeltProfile } from "../../src/process/sandbox/seatbelt-profile.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { viewOf } from "./support.ts";

/** The text only: this has never been run by sandbox-exec in a test. */
test("the profile for macOS says the same as the view, narrower rules last [G4 G10]", async (t) => {
  const place = await temporaryFolder(t);
  const workdir = join(place, 'w "quoted"');
  mkdirSync(workdir);
  const folder = makePrivateFolder(join(place, "run/private"));
  const view = viewOf(workdir, { network: false, hidden: [join(place, "ssh")], readOnly: [".git/config", ".vscode"] });
  const q = (...parts: string[]): string => JSON.stringify(join(...parts));
  const profile = seatbeltProfile(view, {
    folder,
    runFolder: join(place, "run"),
    script: join(place, "run/call/script"),
  });
  assert.deepEqual(profile.split("\n"), [
    "(version 1)",
    "(allow default)",
    "(deny appleevent-send)",
    '(deny process-exec (literal "/bin/launchctl") (literal "/usr/bin/open") (literal "/usr/bin/osascript"))',
    "(deny file-write*)",
    `(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/tty") (literal "/dev/fd") (literal "/dev/dtracehelper") (subpath ${q(workdir)}) (subpath ${q(place, "run/private")}) (subpath ${q(place, "run/private/cache")}))`,
    `(deny file-read* file-write* (subpath ${q(place, "ssh")}) (subpath ${q(place, "run")}))`,
    `(allow file-read* file-write* (subpath ${q(place, "run/private")}) (subpath ${q(place, "run/private/cache")}))`,
    `(allow file-read* (literal ${q(place, "run/call/script")}))`,
    `(deny file-write* (subpath ${q(workdir, ".git/config")}) (subpath ${q(workdir, ".vscode")}))`,
    `(deny file-write-unlink (literal ${q(workdir, ".git")}))`,
    "(deny network*)",
    "",
  ]);
});

test("the strict profile for macOS reads the system and the workdir only [G2 G10]", async (t) => {
  const place = await temporaryFolder(t);
  const folder = makePrivateFolder(join(place, "run/private"));
  const view = viewOf(place, { profile: "strict" });
  const profile = seatbeltProfile(view, { folder, runFolder: join(place, "run"), script: null });
  assert.match(profile, /\(deny file-read-data\)\n\(allow file-read-data \(literal "\/"\) \(subpath "\/usr"\)/);
  assert.ok(profile.includes(`(subpath ${JSON.stringify(place)})`));
  assert.doesNotMatch(profile, /network/);
});
