import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readToken } from "../../../src/mcp/server/http/token-file.ts";
import { temporaryFolder } from "../../support/temporary.ts";

test("what can't be a token is one sentence that names the file, and is never waited for [G6]", async (t) => {
  const path = join(await temporaryFolder(t), "token");
  const write = (content: string | Buffer): void => writeFileSync(path, content, { mode: 0o600 });
  const wrong: Readonly<Record<string, () => void>> = {
    "nothing in it": () => write(""),
    "a folder": () => mkdirSync(path),
    // Who opens it waits for somebody who writes.
    "a pipe": () => execFileSync("mkfifo", ["-m", "600", path]),
    "a link that leads nowhere": () => symlinkSync(join(path, "nowhere"), path),
    "words, of which a header carries one": () => write("one secret of several words, which nobody can send\n"),
    "bytes that no header can carry": () => write(Buffer.alloc(64, 0xc3)),
    "two lines": () => write(`${"a".repeat(64)}\n${"b".repeat(64)}\n`),
    "far too much": () => write("a".repeat(5000)),
  };
  for (const [what, make] of Object.entries(wrong)) {
    make();
    assert.throws(
      () => readToken(path),
      {
        code: "CONFIG_INVALID",
        message: `The token file ${path} must be a file of yours that nobody else can read (mode 0600) with at least 32 characters and no space among them; delete it, and a new one is made.`,
      },
      what,
    );
    rmSync(path, { recursive: true });
  }
  assert.equal(readToken(path), readFileSync(path, "utf8").trim());
});
