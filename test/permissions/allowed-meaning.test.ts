import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { isolatedEnvironment } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openGated, yes } from "./support.ts";

test("an allow rule means its program, in the workdir and with the variables as they are [G8]", async (t) => {
  const home = await temporaryFolder(t);
  // Enough of make for these files; not every machine has one.
  const bin = join(home, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "make"), "#!/bin/sh\nsed -n 's/^\t@*//p' Makefile | sh\n", { mode: 0o755 });
  const env = isolatedEnvironment(home);
  const { call, workdir } = await openGated(
    t,
    {
      permissions: { mode: "never", allow: ["bash(make)", "bash(git add *)", "bash(cd kind)"] },
      sandbox: "off",
    },
    { home, env: { ...env, PATH: `${bin}:${env["PATH"]}` } },
  );
  for (const folder of ["evil", "kind", "3"]) await mkdir(join(workdir, folder));
  await writeFile(join(workdir, "Makefile"), "all:\n\t@true\n");
  await writeFile(join(workdir, "kind", "Makefile"), "all:\n\t@true\n");
  await writeFile(join(workdir, "evil", "Makefile"), "all:\n\ttouch ../pwned\n");
  for (const program of ["evil/make", "evil/git", "3/make"]) {
    await writeFile(join(workdir, program), `#!/bin/sh\n/usr/bin/touch ${workdir}/pwned\n`);
    await chmod(join(workdir, program), 0o755);
  }
  for (const input of [
    { command: "./evil/make" },
    { command: "evil/make" },
    { command: `${workdir}/evil/make` },
    { command: "cd evil && make" },
    { command: "cd evil; make" },
    { command: "(cd evil; make)" },
    { command: "make", cwd: "evil" },
    { command: "HOME=$PWD/evil; make" },
    { command: "PATH=$PWD/evil:$PATH; make" },
    { command: "for PATH in $PWD/evil; do make; done" },
    { command: "((PATH=3)); make" },
    { command: "echo $((PATH=3)); make" },
    { command: "for ((PATH=3; 1; )); do make; break; done" },
    { command: `GIT_CONFIG_VALUE_1='touch ${workdir}/pwned;'; git add .` },
    { command: "GIT_CONFIG_COUNT=; git add ." },
  ]) {
    const { state } = await call("bash", input);
    assert.equal(state, "cancelled", JSON.stringify(input));
    assert.ok(!existsSync(join(workdir, "pwned")), JSON.stringify(input));
  }
  for (const command of [
    "make",
    `cd ${workdir} && make`,
    "cd kind && make",
    "make; cd evil && ls",
    "name=x; make",
    "for i in 1 2; do make; done",
    "((i=1)); make",
  ])
    assert.equal((await call("bash", { command })).state, "completed", command);
});

test("a yes for longer is offered only where it reaches no further than what was shown [G8]", async (t) => {
  const { call, asked, workdir } = await openGated(t, {}, { answer: { ...yes, scope: "always" } });
  await mkdir(join(workdir, "a"));
  await writeFile(join(workdir, "in.txt"), "x\n");
  for (const input of [
    { command: "python3 - <<'E'\nprint(1)\nE" },
    { command: "python3 - <<< 'print(1)'" },
    { command: "sort -o out.txt < in.txt" },
    { command: "cat in.txt | xargs touch" },
    { command: "cat in.txt | python3 -" },
    { command: "touch x", cwd: "a" },
    { command: "cd a && touch x" },
    { command: "HOME=$PWD; touch x" },
  ]) {
    const before = asked.length;
    await call("bash", input);
    assert.equal(asked.length, before + 1, JSON.stringify(input));
    if (!asked.at(-1)!.isDanger) assert.deepEqual(asked.at(-1)!.scopes, ["once"], JSON.stringify(input));
  }
  await call("bash", { command: "touch y" });
  assert.deepEqual(asked.at(-1)!.rules, ["bash(touch y)"]);
  const before = asked.length;
  await call("bash", { command: "touch y" });
  assert.equal(asked.length, before);
  await call("bash", { command: "touch y", cwd: "a" });
  assert.equal(asked.length, before + 1);
});
