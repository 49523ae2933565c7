import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { temporaryFolder } from "../support/temporary.ts";
import { openRoom } from "./sandbox-room.ts";
import { eventually, inMode, openBench } from "./support.ts";

describe("protected names", inMode("require"), () => {
  const readOnly = [
    ".git/hooks",
    ".git/config",
    ".gitmodules",
    ".mcp.json",
    ".vscode",
    "deckhand.json",
    ".deckhand",
    ".bashrc",
  ];

  async function openRepository(t: { after(hook: () => Promise<void>): void }) {
    const room = await openRoom(t, { readOnly });
    const git = (...words: string[]): void => {
      const done = spawnSync("git", ["-c", "init.defaultBranch=main", ...words], {
        cwd: room.workdir,
        encoding: "utf8",
      });
      assert.equal(done.status, 0, done.stderr);
    };
    git("init", "-q");
    git("config", "user.email", "a@example.org");
    git("config", "user.name", "A");
    mkdirSync(join(room.workdir, ".deckhand"));
    writeFileSync(join(room.workdir, ".deckhand/deckhand.db"), "db");
    writeFileSync(join(room.workdir, ".deckhand/.gitignore"), "*\n");
    writeFileSync(join(room.workdir, "file"), "text\n");
    return room;
  }

  test("can't be changed, replaced, moved away or made, and leave no trace when they are missing [G1 G4]", async (t) => {
    const { sh, workdir } = await openRepository(t);
    const before = readdirSync(workdir).sort();
    const config = readFileSync(join(workdir, ".git/config"), "utf8");
    const hooks = readdirSync(join(workdir, ".git/hooks")).sort();
    const attempts = [
      "echo x >> .git/config",
      "git config core.fsmonitor evil",
      "rm -f .git/config",
      "mv .git/config .git/config2",
      "echo x > new && mv -f new .git/config",
      "echo x > .git/hooks/pre-commit",
      "mv .git/hooks .git/old && mkdir .git/hooks",
      "mv .git old-git && cp -r old-git .git && echo x >> .git/config",
      "rm -rf .git/hooks && mkdir .git/hooks",
      "ln -sfn /tmp .git/hooks",
      "echo x > .mcp.json",
      "mkdir .mcp.json",
      "ln -s file .mcp.json",
      "echo x > new && mv -T new .mcp.json",
      "mkdir -p .vscode && echo x > .vscode/tasks.json",
      "echo x > deckhand.json",
      "rmdir deckhand.json && echo x > deckhand.json",
      "echo x > .bashrc",
      "echo x > .deckhand/deckhand.db",
      "echo x > .deckhand/new",
      "mv .deckhand elsewhere",
      "chmod 777 .deckhand",
      "mv .vscode elsewhere",
    ];
    for (const attempt of attempts) assert.notEqual((await sh(attempt))[0], 0, attempt);
    assert.equal(readFileSync(join(workdir, ".git/config"), "utf8"), config);
    assert.deepEqual(readdirSync(join(workdir, ".git/hooks")).sort(), hooks);
    assert.equal(readFileSync(join(workdir, ".deckhand/deckhand.db"), "utf8"), "db");
    rmSync(join(workdir, "new"), { force: true });
    assert.deepEqual(readdirSync(workdir).sort(), before);
  });

  test("their siblings and the work of git are free [G1]", async (t) => {
    const { sh, workdir } = await openRepository(t);
    const deeds = [
      "echo x > .mcp.json.bak && echo x > .vscode-x && mkdir .git/hooks2 && echo x > .git/description",
      "git add -A && git commit -qm one && git status --porcelain",
      "echo more >> file && git diff --stat && git commit -qam two && git log --oneline",
      "git checkout -q -b side && git stash list && git tag v1 && git checkout -q main && git merge -q side",
      "git clean -nd",
    ];
    for (const deed of deeds) {
      const [code, , complaint] = await sh(deed);
      assert.deepEqual([code, complaint], [0, ""], deed);
    }
    const [, committed] = await sh("git ls-files");
    assert.deepEqual(committed.trim().split("\n"), [".mcp.json.bak", ".vscode-x", "file"]);
    assert.deepEqual((await sh("git init -q sub && cd sub && echo x > .git/hooks/y && git status"))[0], 0);
    assert.deepEqual(readdirSync(workdir).sort(), [".deckhand", ".git", ".mcp.json.bak", ".vscode-x", "file", "sub"]);
  });

  test("another configuration can't be put in the place of git's [G1]", async (t) => {
    const { sh, workdir } = await openRepository(t);
    await sh("cp -r .git evil; git config -f evil/config core.fsmonitor 'touch pwned'; echo ../evil > .git/commondir");
    assert.equal(existsSync(join(workdir, ".git/commondir")), false);
    spawnSync("git", ["status"], { cwd: workdir });
    assert.equal(existsSync(join(workdir, "pwned")), false);
    assert.deepEqual((await sh("git status"))[0], 0);
  });

  test("what was made under a name that git reads, while another command ran, does not stay [G1]", async (t) => {
    const { end, workdir } = await openRepository(t);
    const first = end("mkdir .git/commondir; : > up; until [ -e go ]; do sleep 0.02; done");
    await eventually(() => existsSync(join(workdir, "up")), "the first command runs");
    const second = await end("rmdir .git/commondir; echo ../evil > .git/commondir; echo x > .git/config.worktree");
    await second.discard();
    assert.deepEqual(
      ["commondir", "config.worktree"].filter((name) => existsSync(join(workdir, ".git", name))),
      [],
    );
    writeFileSync(join(workdir, "go"), "");
    await (await first).discard();
  });

  test("commands at the same time, of two runtimes, keep them masked until the last has ended [G1]", async (t) => {
    const one = await openRoom(t, { readOnly });
    const runFolder = join(one.folder, "run");
    const two = await openBench(t, { sandbox: "require", runFolder, view: () => one.view });
    const waits = "until [ -e go ]; do sleep 0.02; done; echo x > .mcp.json";
    const long = two.run(["sh", "-c", `: > up; ${waits}`], { cwd: one.workdir, executionId: "call_long" });
    await eventually(() => existsSync(join(one.workdir, "up")), "the long command runs");
    await Promise.all(Array.from({ length: 6 }, () => one.sh("sleep 0.05; true")));
    writeFileSync(join(one.workdir, "go"), "");
    assert.notEqual((await long).exitCode, 0);
    await (await long).discard();
    assert.deepEqual(readdirSync(one.workdir).sort(), ["go", "up"]);
    await two.processes.close();
  });

  test("what a person puts into a masked place meanwhile stays [G1]", async (t) => {
    const room = await openRoom(t, { readOnly });
    const running = room.end(": > up; until [ -e go ]; do sleep 0.02; done");
    await eventually(() => existsSync(join(room.workdir, "up")), "it runs");
    assert.ok(lstatSync(join(room.workdir, ".vscode")).isDirectory());
    writeFileSync(join(room.workdir, ".vscode/settings.json"), "{}");
    writeFileSync(join(room.workdir, "go"), "");
    await running;
    assert.deepEqual(readdirSync(room.workdir).sort(), [".vscode", "go", "up"]);
    assert.deepEqual(await room.sh("cat .vscode/settings.json; echo x > .vscode/x || echo kept"), [
      0,
      "{}kept\n",
      "sh: 1: cannot create .vscode/x: Read-only file system\n",
    ]);
  });

  test("a workdir that is the home folder hides its keys and lets nobody make them [G1]", async (t) => {
    const home = await temporaryFolder(t);
    mkdirSync(join(home, "work dir/.config/gcloud"), { recursive: true });
    mkdirSync(join(home, "work dir/.local/state/deckhand"), { recursive: true });
    writeFileSync(join(home, "work dir/.config/gcloud/key"), "planted-key");
    const names = [".config/gcloud", ".local/state/deckhand", ".ssh"];
    const { sh, workdir } = await openRoom(t, { at: home, hidden: names.map((name) => join(home, "work dir", name)) });
    const attempts = [
      "cat .config/gcloud/key",
      "mv .config old; cat old/gcloud/key",
      "mkdir -p .ssh && echo x > .ssh/authorized_keys",
      "mv .local old2 && mkdir -p .local/state/deckhand && echo x > .local/state/deckhand/grants",
      "echo x > .local/state/deckhand/grants",
    ];
    for (const attempt of attempts) assert.notEqual((await sh(attempt))[0], 0, attempt);
    assert.deepEqual((await sh("echo fine > .config/other"))[0], 0);
    assert.deepEqual(readdirSync(join(workdir, ".local/state/deckhand")), []);
    assert.equal(existsSync(join(workdir, ".ssh")), false);
  });
});
