import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { inMode } from "../process/support.ts";
import { openMachine, put, runScript } from "./support.ts";

/** As the review found them: names at the top and below, each with the way to change what is there. */
const names = [
  ".husky/pre-commit",
  ".githooks/pre-commit",
  ".claude/settings.json",
  ".cursor/mcp.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".opencode/config.json",
  ".npmrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".zlogin",
  ".bash_aliases",
  ".inputrc",
  ".devcontainer/devcontainer.json",
  ".zed/tasks.json",
  ".fleet/run.json",
  ".vimrc",
  ".exrc",
  ".nvim.lua",
  ".dir-locals.el",
  ".pre-commit-config.yaml",
  "lefthook.yml",
  "tools/echo_tool.ts",
  "x.code-workspace",
  ".ripgreprc",
  "sub/.vscode/tasks.json",
  "sub/.envrc",
  "deckhand.json",
  ".mcp.json",
  ".gitmodules",
  ".vscode/tasks.json",
  ".idea/workspace.xml",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".envrc",
  ".cargo/config.toml",
  ".Rprofile",
  ".irbrc",
  ".pryrc",
  ".gdbinit",
  ".lldbinit",
  "opencode.json",
  "mise.toml",
  ".continue/config.json",
  ".run/x.run.xml",
  "a/b/c/.vscode/tasks.json",
];

describe("protected names, with the settings as they ship", inMode("require"), () => {
  test("what a deny rule keeps from being written, no script, archive or tool file can write either [G8]", async (t) => {
    const { workdir, open } = await openMachine(t);
    const kept = ["migrations/1.sql", "migrations/old/0.sql", "app/db/schema.lock", "KEEP.md"];
    for (const name of [...kept, "free.txt"]) put(workdir, name);
    const deny = ["write(Migrations/**)", "edit(**/*.lock)", "write_file(KEEP.md)"];
    const runtime = await open({ settings: { permissions: { mode: "auto", deny } } });
    const tries = kept.flatMap((name) => [
      `echo evil >> "${name}"`,
      `rm -rf "${name.split("/")[0]}"`,
      `mv "${name}" moved`,
      `echo evil > new && mv -f new "${name}"`,
    ]);
    await runScript(runtime, [...tries, "echo evil > migrations/2.sql", "echo changed > free.txt"].join("\n"));
    assert.deepEqual(
      kept.map((name) => existsSync(join(workdir, name)) && readFileSync(join(workdir, name), "utf8")),
      kept.map(() => "as it was\n"),
    );
    assert.equal(existsSync(join(workdir, "migrations/2.sql")), false);
    assert.equal(readFileSync(join(workdir, "free.txt"), "utf8"), "changed\n");
    const { result } = await runScript(runtime, "echo evil > migrations/1.sql");
    assert.ok(result?.ok === false);
    assert.match(result.hint ?? "", /migrations is read-only for commands: a deny rule covers it\./);
  });

  test("none of those that exist can be changed, removed or moved by a command, at any depth (S-M1 S-L7) [G1]", async (t) => {
    const { workdir, open } = await openMachine(t);
    for (const name of names) put(workdir, name, name === "deckhand.json" || name === ".mcp.json" ? "{}" : undefined);
    const before = names.map((name) => readFileSync(join(workdir, name), "utf8"));
    const runtime = await open();
    const tries = names.flatMap((name) => [
      `echo evil >> "${name}"`,
      `rm -rf "${name.split("/")[0]}"`,
      `rm -f "${name}"`,
      `mv "${name}" "${name}.moved"`,
      `echo evil > new && mv -f new "${name}"`,
    ]);
    const { state, sandbox } = await runScript(runtime, tries.join("\n"));
    assert.deepEqual([state === "running", sandbox?.kind], [false, "bwrap"]);
    assert.deepEqual(
      names.map((name) => (existsSync(join(workdir, name)) ? readFileSync(join(workdir, name), "utf8") : "gone")),
      before,
    );
  });

  test("many other names do not push out the usual ones (S-M1) [G1]", async (t) => {
    const { workdir, open } = await openMachine(t);
    for (let index = 0; index < 300; index += 1) put(workdir, `${index}.code-workspace`);
    put(workdir, "sub/.vscode/tasks.json");
    put(workdir, "zz/.husky/pre-commit");
    await runScript(await open(), "echo evil >> sub/.vscode/tasks.json; echo evil >> zz/.husky/pre-commit");
    assert.equal(readFileSync(join(workdir, "sub/.vscode/tasks.json"), "utf8"), "as it was\n");
    assert.equal(readFileSync(join(workdir, "zz/.husky/pre-commit"), "utf8"), "as it was\n");
  });

  test("hooks and settings of a repository below the workspace can't be changed; work in it can go on (S-M1) [G1]", async (t) => {
    const { workdir, open } = await openMachine(t);
    spawnSync("git", ["init", "-q", join(workdir, "sub")]);
    put(workdir, "sub/.git/hooks/pre-commit", "#!/bin/sh\n");
    const config = readFileSync(join(workdir, "sub/.git/config"), "utf8");
    const runtime = await open();
    await runScript(
      runtime,
      "echo evil >> sub/.git/hooks/pre-commit; mv sub old; echo evil >> sub/.git/config; cd sub; echo x > file; git add file",
    );
    assert.equal(readFileSync(join(workdir, "sub/.git/hooks/pre-commit"), "utf8"), "#!/bin/sh\n");
    assert.equal(readFileSync(join(workdir, "sub/.git/config"), "utf8"), config);
    assert.equal(existsSync(join(workdir, "sub/.git/index")), true);
  });

  test("a process in the background can't replace a tool file between two calls (S-H2) [G1]", async (t) => {
    const { workdir, open } = await openMachine(t);
    put(workdir, "tools/echo_tool.js", "// the person's own\n");
    put(
      workdir,
      "bg.sh",
      "until [ -e go ]; do sleep 0.05; done; echo evil > tools/echo_tool.js; echo new > tools/new.js; : > over; exec sleep 60",
    );
    const runtime = await open();
    await runtime.call("bash", { command: "bash bg.sh", background: true }, { door: "agent" });
    put(workdir, "go");
    while (!existsSync(join(workdir, "over"))) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(readFileSync(join(workdir, "tools/echo_tool.js"), "utf8"), "// the person's own\n");
    assert.equal(existsSync(join(workdir, "tools/new.js")), false);
  });

  test("what a trusted hook or server loads can't be changed, nor the folder that its script lies in (S-L8) [G1]", async (t) => {
    const { workdir, open } = await openMachine(t);
    put(workdir, "lib/common.sh");
    put(workdir, "lib/dep.js");
    put(workdir, "lib/deeper.js");
    put(workdir, "lib/dep.js", 'require("./deeper.js");\n');
    put(workdir, "check.sh", "#!/bin/sh\n. ./lib/common.sh\n");
    put(workdir, "servers/main.mjs", 'import "../lib/dep.js";\n');
    put(workdir, "servers/table.json");
    const runtime = await open({
      settings: {
        permissions: { mode: "auto" },
        hooks: { after: [{ tools: ["nothing"], command: ["sh", "check.sh"] }] },
        mcpServers: { one: { command: "node", args: ["servers/main.mjs"] } },
      },
    });
    const kept = ["lib/common.sh", "lib/dep.js", "lib/deeper.js", "check.sh", "servers/main.mjs", "servers/table.json"];
    const before = kept.map((name) => readFileSync(join(workdir, name), "utf8"));
    await runScript(runtime, kept.map((name) => `echo evil >> ${name}; rm -f ${name}`).join("\n"));
    assert.deepEqual(
      kept.map((name) => readFileSync(join(workdir, name), "utf8")),
      before,
    );
  });
});

test("what agents are told in every conversation is changed only when somebody allows it (S-L7) [G1]", async (t) => {
  const { workdir, open } = await openMachine(t);
  const runtime = await open({ settings: { permissions: { mode: "accept-edits", allow: ["write(docs/**)"] } } });
  const write = async (file_path: string): Promise<string> =>
    (await runtime.call("write", { file_path, content: "x" }, { door: "agent" })).state;
  for (const name of ["AGENTS.md", "sub/CLAUDE.md", "skills/one/SKILL.md", ".agents/skills/two/SKILL.md"]) {
    assert.deepEqual([await write(name), existsSync(join(workdir, name))], ["cancelled", false], name);
  }
  for (const name of ["README.md", "src/skills/one.ts", "docs/AGENTS.md"]) assert.equal(await write(name), "completed");
});
