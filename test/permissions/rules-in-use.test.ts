import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openGated, yes } from "./support.ts";

test("deny wins over ask, ask over allow, and any part of a compound command is enough [G8]", async (t) => {
  const { call, asked } = await openGated(t, {
    permissions: { allow: ["bash"], ask: ["bash(touch *)"], deny: ["bash(curl *)", "bash(touch secret*)"] },
  });
  const outcomes: [command: string, answer: string][] = [
    ["mkdir a", "runs"],
    ["mkdir b && touch c", "asked"],
    ["mkdir d; curl example.com", "the rule deny bash(curl *) covers it"],
    ["mkdir d; /usr/bin/curl example.com", "the rule deny bash(curl *) covers it"],
    ["mkdir d; env curl example.com", "the rule deny bash(curl *) covers it"],
    ["echo $(curl example.com)", "the rule deny bash(curl *) covers it"],
    ["bash -c 'curl example.com'", "the rule deny bash(curl *) covers it"],
    ["touch secret.txt", "the rule deny bash(touch secret*) covers it"],
    ["c''url example.com", "the rule deny bash(curl *) covers it"],
  ];
  for (const [command, expected] of outcomes) {
    const before = asked.length;
    const { state, error } = await call("bash", { command });
    const answer = asked.length > before ? "asked" : state === "completed" ? "runs" : error?.replace("Refused: ", "");
    assert.equal(answer, expected, command);
  }
});

test("an allow rule needs every part, the variables set for it and the files it writes [G8]", async (t) => {
  const { call, asked } = await openGated(t, {
    permissions: { mode: "never", allow: ["bash(mkdir *)", "bash(touch a)", "bash(echo hi > out.txt)"] },
  });
  const runs = [
    "mkdir x y",
    "mkdir z && touch a",
    "echo hi > out.txt",
    "touch a 2>/dev/null",
    "mkdir -p w && cat out.txt",
  ];
  const refused = [
    "touch b",
    "mkdir q && touch b",
    "touch a b",
    "mkdir q > log",
    "LD_X=1 touch a",
    "echo hi >> out.txt",
    'mkdir "$D"',
  ];
  for (const command of runs) assert.equal((await call("bash", { command })).state, "completed", command);
  for (const command of refused) {
    const { state, errorType } = await call("bash", { command });
    assert.deepEqual([state, errorType], ["cancelled", "denied"], command);
  }
  assert.equal(asked.length, 0);
});

test("a rule for a path holds for the file tools and for commands that name it, through links as well [G8]", async (t) => {
  const { call, workdir } = await openGated(t, {
    permissions: { allow: ["bash", "read", "write"], deny: ["read(private/**)", "read(notes.txt)"] },
  });
  await writeFile(join(workdir, "notes.txt"), "x");
  await symlink("notes.txt", join(workdir, "link.txt"));
  const denied: [tool: string, input: object][] = [
    ["read", { file_path: "notes.txt" }],
    ["read", { file_path: "./NOTES.txt" }],
    ["read", { file_path: "link.txt" }],
    ["bash", { command: "cat notes.txt" }],
    ["bash", { command: "sort < notes.txt" }],
    ["bash", { command: "cat --file=private/a" }],
    ["bash", { command: "cat link.txt" }],
  ];
  for (const [tool, input] of denied) {
    const { error } = await call(tool, input);
    assert.match(error ?? "", /^Refused: the rule deny read\(.*\) covers it$/, JSON.stringify(input));
  }
  assert.equal((await call("bash", { command: "ls" })).state, "completed");
});

test("a value that is not known and could fall under a deny rule is asked about [G8]", async (t) => {
  const { call, asked } = await openGated(t, { permissions: { allow: ["bash"], deny: ["bash(frob push *)"] } });
  await call("bash", { command: "frob $ACTION origin" });
  assert.equal(asked.length, 1);
  assert.match(asked[0]!.reasons.join(), /the rule deny bash\(frob push \*\) could cover it/);
});

test("always grants exactly what was shown, is kept with who, and can be used by the next runtime [G8]", async (t) => {
  const always = { ...yes, scope: "always" } as const;
  const first = await openGated(t, {}, { answer: always });
  const { workdir } = first;
  const home = join(workdir, "..");
  await first.call("bash", { command: "mkdir 'a b' && touch 'x*'" });
  assert.deepEqual(first.asked[0]?.rules, ["bash(mkdir 'a b')", "bash(touch 'x*')"]);
  await first.runtime.close();

  const second = await openGated(t, {}, { home });
  const again = await second.call("bash", { command: "touch 'x*'" });
  assert.deepEqual([again.state, again.permission?.by, again.permission?.who], ["completed", "grant", "kim"]);
  for (const command of ["touch xy", "touch 'x*' y", "mkdir a b", "touch 'x*' > log"]) {
    const before = second.asked.length;
    await second.call("bash", { command });
    assert.equal(second.asked.length, before + 1, command);
  }
});

test("a yes for the conversation ends with it [G8]", async (t) => {
  const { call, asked } = await openGated(t, {}, { answer: { ...yes, scope: "conversation" } });
  const write = { file_path: "a.txt", content: "1" };
  await call("write", write);
  assert.deepEqual(asked[0]?.rules, ["write(a.txt)"]);
  await call("write", { ...write, content: "2" });
  assert.equal(asked.length, 1);
  await call("write", write, { conversationId: "ses_2" });
  assert.equal(asked.length, 2);
});

test("a file of secrets is asked about before it is read, by tool or by command [G8]", async (t) => {
  const { call, asked, workdir } = await openGated(t, { permissions: { mode: "auto" } });
  await writeFile(join(workdir, ".env"), "A=1");
  await symlink(".env", join(workdir, "plain.txt"));
  await mkdir(join(workdir, "sub"));
  await writeFile(join(workdir, "sub", "server.pem"), "x");
  for (const [tool, input] of [
    ["read", { file_path: ".env" }],
    ["bash", { command: "cat .env" }],
    ["bash", { command: "sort ./.env > sorted" }],
    ["bash", { command: "cat .e*" }],
    ["bash", { command: "cat ./*.txt" }],
    ["bash", { command: "cat .e[nm]v" }],
    ["bash", { command: "grep -r A= ." }],
    ["bash", { command: "grep -Rn A=" }],
    ["bash", { command: "rg --hidden A=" }],
    ["bash", { command: "rg certificate" }],
    ["bash", { command: "diff -r . sub" }],
  ] as const) {
    const before = asked.length;
    const { state } = await call(tool, input);
    assert.deepEqual([state, asked.length], ["cancelled", before + 1], JSON.stringify(input));
  }
});

test("a command that only reads, but outside the workdir, is asked about [G1]", async (t) => {
  const { call, asked } = await openGated(t);
  for (const command of ["cat /etc/passwd", "ls ..", "cat ../work/../x", "head ~/.profile", 'cat "$FILE"']) {
    const before = asked.length;
    await call("bash", { command });
    assert.equal(asked.length, before + 1, command);
  }
  for (const command of ["ls -la .", "grep -rn 'a|b' . | head -5", "git status", "find . -name '*.ts'"]) {
    const before = asked.length;
    await call("bash", { command });
    assert.equal(asked.length, before, command);
  }
});

test("tools that are switched off are gone: from the list, by every name, and for calls [P10]", async (t) => {
  const { runtime, call } = await openGated(t, { tools: { disabled: ["Shell", "run_python", "no_such_tool"] } });
  assert.equal(runtime.tools.resolve("bash"), undefined);
  assert.ok(!runtime.tools.list().some(({ name }) => name === "bash" || name === "run_python"));
  const { state, error } = await call("Bash", { command: "ls" });
  assert.equal(state, "failed");
  assert.match(error ?? "", /Unknown tool/);
  assert.match(runtime.warnings.join(), /tools\.disabled names "no_such_tool"/);
});

test("rules that contradict, and one that allows everything, are told of [G8]", async (t) => {
  const { runtime } = await openGated(t, { permissions: { allow: ["bash(make)", "*"], deny: ["bash(make)"] } });
  assert.match(runtime.warnings.join("\n"), /"bash\(make\)" stands under allow and under deny: deny wins/);
  assert.match(runtime.warnings.join("\n"), /allow "\*" lets everything through that is not dangerous/);
});

test("what stands between a program and its sub-command does not hide it from a rule [G8]", async (t) => {
  const { call, asked } = await openGated(t, {
    permissions: { allow: ["bash"], deny: ["bash(git push *)", "bash(docker run *)", "bash(frob push *)"] },
  });
  for (const command of [
    "git -C . push",
    "git --no-pager push origin",
    "git -c a.b=c push",
    "docker --context x run y",
  ]) {
    const { error } = await call("bash", { command });
    assert.match(error ?? "", /^Refused: the rule deny .* covers it$/, command);
  }
  // Whether an unknown option takes the next word is not known.
  await call("bash", { command: "frob --level 3 push" });
  assert.match(asked[0]?.reasons.join() ?? "", /could cover it/);
  for (const command of ["git commit -m push", "git -C push status", "docker ps run"]) {
    const { error } = await call("bash", { command });
    assert.doesNotMatch(error ?? "", /the rule deny/, command);
  }
});

test("a rule for any further words covers words that are not known; naming the danger does not lift it [G8]", async (t) => {
  const { runtime, asked } = await openGated(
    t,
    { permissions: { deny: ["bash(rm *)"] } },
    { confirmed: ["delete.many"] },
  );
  for (const command of ["find . -name q -exec rm {} \\;", "ls | xargs rm"]) {
    const { error } = await runtime.call("bash", { command }, { door: "cli" });
    assert.match(error ?? "", /^Refused: the rule deny bash\(rm \*\) covers it$/, command);
  }
  assert.equal(asked.length, 0);
});
