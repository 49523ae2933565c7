import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { PermissionMode } from "../../src/core/permission.ts";
import { openMachine, put } from "./support.ts";

/** Each makes git run `touch` when a repository that came as an archive is only looked at. */
const settings: Record<string, string> = {
  external: "[diff]\n\texternal = sh -c 'touch canary'\n",
  textconv: `[diff "x"]\n\ttextconv = "sh -c 'touch canary; cat \\"$1\\"' --"\n`,
  filter: `[filter "f"]\n\tclean = "sh -c 'touch canary; cat'"\n`,
  included: "[include]\n\tpath = more\n",
  continued: `[filter "f"] clean = "sh -c 'touch canary; \\\ncat'"\n`,
  commented: `# a comment \\\n[filter "f"]\n\tclean = "sh -c 'touch canary; cat'"\n`,
  "commented after a value": `[user]\n\tname = x ; y \\\n[filter "f"]\n\tclean = "sh -c 'touch canary; cat'"\n`,
  "two sections on a line": `[core] [filter "f"] clean = "sh -c 'touch canary; cat'"\n`,
  "continued after a quoted sign": `[filter "f"]
	required = "a # b" \
[core]
	clean = "sh -c 'touch canary; cat'"
`,
  pager: "[core]\n\tpager = touch canary\n[pager]\n\tlog = touch canary\n",
  monitor: "[core]\n\tfsmonitor = sh -c 'touch canary'\n",
  alias: "[alias]\n\tlog = !touch canary\n\tstatus = !touch canary\n",
  hook: "",
  "hook in another folder": "[core]\n\thooksPath = .husky\n\thooksPath = .evil\n",
  "hook in the home folder": "[core]\n\thooksPath = ~/work/.evil\n",
};
const commands = ["git status", "git diff", "git log -p -1", "git diff --stat", "git show HEAD"];

function git(cwd: string, ...words: string[]): void {
  const own = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
  const done = spawnSync("git", [...own, ...words], { cwd, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
}

async function openRepository(t: TestContext, name: string) {
  const machine = await openMachine(t);
  git(machine.workdir, "init", "-q");
  put(machine.workdir, ".gitattributes", "* diff=x filter=f\n");
  put(machine.workdir, "file", "one\n");
  git(machine.workdir, "add", "-A");
  git(machine.workdir, "commit", "-qm", "one");
  put(machine.workdir, "file", "two\n");
  // Written again as it was: git writes its index when it finds that out.
  utimesSync(put(machine.workdir, ".gitattributes", "* diff=x filter=f\n"), 1, 1);
  appendFileSync(join(machine.workdir, ".git/config"), settings[name]!);
  put(machine.workdir, ".git/more", settings["filter"]);
  if (name.startsWith("hook")) {
    const place = name === "hook" ? ".git/hooks" : ".evil";
    const hook = put(machine.workdir, `${place}/post-index-change`, "#!/bin/sh\ntouch canary\n");
    chmodSync(hook, 0o755);
  }
  return machine;
}

for (const name of Object.keys(settings)) {
  test(`a repository's own settings run nothing before trust, by ${name} (S-M3) [G8]`, async (t) => {
    const { workdir, open } = await openRepository(t, name);
    for (const sandbox of ["auto", "off"] as const) {
      for (const mode of ["plan", "ask"] satisfies PermissionMode[]) {
        const runtime = await open({ settings: { sandbox, permissions: { mode } } });
        for (const command of commands) await runtime.call("bash", { command }, { door: "agent" });
        await runtime.close();
        assert.deepEqual(
          readdirSync(workdir).filter((each) => each === "canary"),
          [],
          `${mode} ${sandbox}`,
        );
      }
    }
  });
}

for (const format of [2, 4]) {
  test(`nor do those of a submodule, which git looks into; one without such settings is looked at (index of version ${format}, S-M3) [G8]`, async (t) => {
    const { workdir, open } = await openMachine(t);
    const sub = join(workdir, "libs/sub");
    const names = ["a", "libs/other", "libs/sub", "libs/sub-file", "z"];
    put(sub, "file", "one\n");
    put(sub, ".gitattributes", "* filter=f\n");
    for (const name of names) if (name !== "libs/sub") put(workdir, name);
    for (const folder of [sub, workdir]) {
      git(folder, "init", "-q");
      git(folder, "-c", `index.version=${format}`, "add", "-A");
      git(folder, "commit", "-qm", "one");
    }
    put(sub, "file", "two\n");
    const runtime = await open({ settings: { sandbox: "off", permissions: { mode: "plan" } } });
    const look = () => runtime.call("bash", { command: "git status --short" }, { door: "agent" });
    assert.equal((await look()).result?.output, " m libs/sub\n");
    appendFileSync(join(sub, ".git/config"), `[filter "f"]\n\tclean = "sh -c 'touch ${workdir}/canary; cat'"\n`);
    assert.equal((await look()).state, "cancelled");
    assert.equal(existsSync(join(workdir, "canary")), false);
  });
}

test("settings that can't be read as a whole, such as those in another user's folder, are asked about (S-M3) [G8]", async (t) => {
  const { workdir, open } = await openRepository(t, "pager");
  appendFileSync(join(workdir, ".git/config"), "[include]\n\tpath = ~nobody/more\n");
  const runtime = await open({ settings: { permissions: { mode: "ask" } } });
  const { error } = await runtime.call("bash", { command: "git status" }, { door: "agent" });
  assert.match(error ?? "", /^Refused: /);
});

test("a repository without such settings is looked at unasked, also with Git LFS (S-M3) [G8]", async (t) => {
  const { workdir, open } = await openRepository(t, "pager");
  appendFileSync(
    join(workdir, ".git/config"),
    '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n[core]\n\thooksPath = .husky/_\n',
  );
  const runtime = await open({ settings: { permissions: { mode: "ask" } } });
  const { state, result } = await runtime.call("bash", { command: "git status --short" }, { door: "agent" });
  assert.deepEqual([state, result?.output], ["completed", " M file\n"]);
  assert.equal(existsSync(join(workdir, "canary")), false);
});

test("the person's own git settings are not shown unasked (S-L6) [G1]", async (t) => {
  const { home, open } = await openRepository(t, "pager");
  put(home, ".gitconfig", '[url "https://user:planted@example.org/"]\n\tinsteadOf = example:\n[user]\n\tname = Kim\n');
  const runtime = await open({ settings: { permissions: { mode: "ask" } } });
  const call = async (command: string) => (await runtime.call("bash", { command }, { door: "agent" })).state;
  for (const command of [
    "git config --list",
    "git config -l",
    "git config --global -l",
    "git config list",
    "git config --get-regexp url",
    "git config --global user.name",
    "git config --get-urlmatch http https://example.org",
    "git var -l",
  ]) {
    assert.equal(await call(command), "cancelled", command);
  }
  for (const command of ["git config --local --list", "git config user.name", "git config --get core.bare"]) {
    assert.equal(await call(command), "completed", command);
  }
});
