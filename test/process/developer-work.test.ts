import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { lane } from "../support/require.ts";
import { openRoom } from "./sandbox-room.ts";
import { inMode, textOf } from "./support.ts";

const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;
const env = { PATH: process.env["PATH"]!, HOME: userInfo().homedir };

describe("what a developer does works in the sandbox", inMode("require"), () => {
  test("npm installs, runs scripts and keeps a cache, with a home that can't be written [G1 G4]", async (t) => {
    const room = await openRoom(t);
    mkdirSync(join(room.workdir, "lib"));
    writeFileSync(join(room.workdir, "lib/package.json"), '{"name":"lib","version":"1.0.0"}');
    writeFileSync(join(room.workdir, "lib/index.js"), "module.exports = 42;");
    const scripts = { test: "node -e 'process.exit(require(`lib`) === 42 ? 0 : 1)'" };
    writeFileSync(join(room.workdir, "package.json"), JSON.stringify({ name: "it", version: "1.0.0", scripts }));
    const script = "npm install --offline --no-audit --no-fund ./lib && npm test --silent && npm pack --silent ./lib";
    const end = await room.run(["sh", "-c", `${script} && npm cache ls && npm config get cache`], {
      cwd: room.workdir,
      env,
    });
    assert.equal(end.exitCode, 0, textOf(end.stderr));
    assert.match(textOf(end.stdout), /\/tmp\/\.cache\/npm\n$/);
    assert.ok(existsSync(join(room.workdir, "node_modules/lib")));
    assert.equal(existsSync("/tmp/.cache/npm"), false);
  });

  test("a virtual environment of Python is made and used [G1]", lane("python", has("python3")), async (t) => {
    const room = await openRoom(t);
    const script = "python3 -m venv --without-pip .venv && .venv/bin/python -c 'import sys; print(sys.prefix)'";
    const end = await room.run(["sh", "-c", script], { cwd: room.workdir, env });
    assert.deepEqual([end.exitCode, textOf(end.stdout)], [0, `${room.workdir}/.venv\n`], textOf(end.stderr));
  });

  test("programs find a place for temporary files, shared memory and pipes [G4]", async (t) => {
    const { sh } = await openRoom(t);
    const script = [
      "set -e",
      "f=$(mktemp); echo x > $f; rm $f",
      "mkfifo pipe; (echo through > pipe &); cat pipe",
      "echo shm > /dev/shm/x; cat /dev/shm/x",
      "head -c 4 /dev/urandom | wc -c",
      "cat <<EOF\nhere\nEOF",
      "printf 'all:\\n\\t@echo made\\n' > Makefile; make -s",
      "ln -s Makefile link; readlink link; stat -c %U Makefile",
    ].join("\n");
    const user = spawnSync("id", ["-un"], { encoding: "utf8" }).stdout;
    assert.deepEqual(await sh(script), [0, `through\nshm\n4\nhere\nmade\nMakefile\n${user}`, ""]);
  });

  test("a worktree whose repository lies elsewhere can be looked at; a commit says what is missing [G1 G4]", async (t) => {
    const place = mkdtempSync(join(userInfo().homedir, ".deckhand-test-"));
    t.after(() => rmSync(place, { recursive: true }));
    const room = await openRoom(t, { at: place, readOnly: [".git/hooks", ".git/config"] });
    const git = (cwd: string, ...words: string[]): void => {
      const who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
      const done = spawnSync("git", [...who, ...words], { cwd, encoding: "utf8" });
      assert.equal(done.status, 0, done.stderr);
    };
    git(place, "init", "-q", "repository");
    git(join(place, "repository"), "commit", "-q", "--allow-empty", "-m", "first");
    git(join(place, "repository"), "worktree", "add", "-q", "-f", "-b", "side", room.workdir);
    assert.deepEqual((await room.sh("git status --porcelain && git log --oneline && git diff"))[0], 0);
    const end = await room.end("echo x > file; git add file");
    assert.notEqual(end.exitCode, 0);
    assert.match(end.explain(textOf(end.stderr))!, /^The sandbox lets commands write only to .* "sandbox.writable"\.$/);
    assert.notEqual((await room.sh("echo 'gitdir: /tmp/mine' > .git"))[0], 0);
    room.view = { ...room.view, writable: [join(place, "repository/.git")] };
    const commit = "git add file && git -c user.name=A -c user.email=a@b commit -qm x && git status --porcelain";
    assert.deepEqual(await room.sh(commit), [0, "", ""]);
  });
});
