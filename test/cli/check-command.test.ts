import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openMachine, type Machine } from "./run-deckhand.ts";

/** The answers to these lines, parsed. */
async function answer(machine: Machine, lines: readonly unknown[], ...args: string[]): Promise<unknown[]> {
  const stdin = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  const { code, stdout, stderr } = await machine.run(["check", ...args, "--stdin"], { stdin });
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

test("a dangerous command is told with its reason and the exact part, and ends with code 3 [L8]", async (t) => {
  const machine = await openMachine(t);
  const told = await machine.run(["check", "command", "cd src && sudo rm -rf build"]);
  assert.equal(told.code, 3);
  assert.match(told.stdout, /^danger\n/);
  assert.match(told.stdout, /\(delete\.recursive\)\n {4}rm -rf build\n/);
  const safe = await machine.run(["check", "command", "echo hello", "--json"]);
  assert.equal(safe.code, 0);
  const { verdict, reasons, findings, commands } = JSON.parse(safe.stdout) as Record<string, unknown>;
  assert.deepEqual([verdict, reasons, findings], ["safe", [], []]);
  assert.deepEqual(commands, [{ name: "echo", source: "echo hello", via: [] }]);
});

test("git that would run a program by the settings of its repository is not called read-only [G8]", async (t) => {
  const machine = await openMachine(t);
  const ask = async () => (await machine.run(["check", "command", "git -C sub status"])).stdout;
  await mkdir(join(machine.workdir, "sub/.git"), { recursive: true });
  assert.equal(await ask(), "safe, read-only\n");
  await writeFile(join(machine.workdir, "sub/.git/config"), '[filter "f"]\n\tclean = evil\n');
  assert.equal(
    await ask(),
    "safe, not proved to be read-only\n  git would run a program: its setting filter.f.clean.\n",
  );
});

test("a path is judged for what it is to be used for, from the workdir that was named [G1]", async (t) => {
  const machine = await openMachine(t);
  const outside = await machine.run(["check", "path", "../other", "--op", "write"]);
  assert.deepEqual([outside.code, outside.stdout], [3, "refused\n  ../other is outside the workdir.\n"]);
  const inside = await machine.run(["check", "path", "notes.txt", "--workdir", machine.workdir, "--json"], {
    cwd: "/",
  });
  assert.equal(inside.code, 0);
  assert.deepEqual(JSON.parse(inside.stdout), {
    allowed: true,
    ask: false,
    kind: "ok",
    reasons: [],
    resolved: join(machine.workdir, "notes.txt"),
    rule: null,
  });
});

test("a URL is judged without the network; a text comes back masked, its other parts as they were [D4 G5]", async (t) => {
  const machine = await openMachine(t);
  const refused = await machine.run(["check", "url", "http://0x7f.1/"]);
  assert.equal(refused.code, 3);
  assert.match(refused.stdout, /^refused\n {2}The URL leads to 127\.0\.0\.1, .+ \(url\.address\)\n$/);
  const allowed = await machine.run(["check", "url", "https://no-such-name.example/", "--json"]);
  assert.deepEqual(
    [allowed.code, JSON.parse(allowed.stdout)],
    [0, { allowed: true, rule: null, reasons: [], url: "https://no-such-name.example/" }],
  );
  const secret = "planted-value-5f2c9b7d1e";
  const masked = await machine.run(["check", "text", `a ${secret} b`], { env: { MY_API_KEY: secret } });
  assert.equal(masked.code, 0);
  assert.match(masked.stdout, /^a \[MASKED:[^\]]+\] b\n$/);
});

test("each line gets one answer, in order, whatever kind it is, with its id", async (t) => {
  const machine = await openMachine(t);
  const answers = await answer(machine, [
    { id: 1, command: "ls" },
    { id: "two", path: "../x", op: "read" },
    { id: [3], url: "http://localhost/" },
    { text: "plain", id: null },
    { url: "http://example.com/", command: "ls" },
  ]);
  const seen = answers.map((each) => {
    const { id, verdict, allowed, text } = each as Record<string, unknown>;
    return [id, verdict ?? allowed ?? text];
  });
  assert.deepEqual(seen, [
    [1, "safe"],
    ["two", false],
    [[3], false],
    [null, "plain"],
    [undefined, "safe"],
  ]);
});

test("a line that can't be used gets one sentence, and the run goes on", async (t) => {
  const machine = await openMachine(t);
  const lines = [
    "",
    "not json",
    "[1]",
    "null",
    '"x"',
    "{}",
    '{"command":5}',
    '{"url":["a"]}',
    '{"path":"a","op":7,"id":9}',
  ];
  const answers = await answer(machine, [...lines, '{"url":"http://a.example","redirects":[4]}', { text: "last" }]);
  assert.deepEqual(answers.at(-1), { text: "last" });
  assert.equal(answers.length, lines.length + 2);
  for (const each of answers.slice(0, -1)) assert.match((each as { error: string }).error, /^[^\n]+\.$/);
  assert.deepEqual(answers[8], { id: 9, error: 'The value of "op" must be a string.' });
  const bytes = await machine.run(["check", "--stdin"], { stdin: Buffer.from([0x22, 0xff, 0x22, 0x0a]) });
  assert.deepEqual([bytes.code, bytes.stdout], [0, '{"error":"The line is not UTF-8 text."}\n']);
});

test("a line may say where names lead and what a server answers [G5]", async (t) => {
  const machine = await openMachine(t);
  const url = "https://a.example/";
  const answers = await answer(
    machine,
    [
      { url, addresses: ["93.184.215.14"] },
      { url, addresses: ["93.184.215.14", "10.0.0.1"] },
      { url, redirects: ["/b", "https://c.example/"] },
      { url, redirects: ["http://a.example/"] },
      { url, redirects: [{ url: "https://c.example/", addresses: ["::1"] }] },
      { url, addresses: { "c.example": ["127.0.0.1"] }, redirects: ["https://c.example/"] },
      { url, redirects: ["/1", "/2", "/3", "/4", "/5", "/6"] },
    ],
    "url",
  );
  const rules = answers.map((each) => (each as { rule: string | null }).rule);
  assert.deepEqual(rules, [null, "url.address", null, "url.redirect", "url.address", "url.address", "url.redirect"]);
});

test("an answer comes as soon as its line is there, without waiting for the end", async (t) => {
  const machine = await openMachine(t);
  const running = machine.start(["check", "--stdin"], { stdin: null });
  const line = Promise.withResolvers<string>();
  running.child.stdout.once("data", (chunk: Buffer) => line.resolve(chunk.toString()));
  running.child.stdin.write('{"url":"http://[::1]/"}\n{"url":');
  assert.match(await line.promise, /^\{"allowed":false,.+\}\n$/);
  running.child.stdin.end('"http://example.com/"}');
  const { code, stdout } = await running.ended;
  assert.equal(code, 0);
  assert.equal(stdout.split("\n").length, 3);
});

test("it ends when nobody reads any more, however much there is to check", async (t) => {
  const machine = await openMachine(t);
  const running = machine.start(["check", "--stdin"], { stdin: null });
  const feed = (): void => {
    while (running.child.stdin.writable && running.child.stdin.write('{"url":"http://example.com/"}\n'.repeat(1000)));
  };
  running.child.stdin.on("drain", feed);
  running.child.stdout.once("data", () => running.child.stdout.destroy());
  feed();
  const { code } = await running.ended;
  assert.equal(code, 0);
});

test("a huge line and many lines are answered whole", async (t) => {
  const machine = await openMachine(t);
  const many = Array.from({ length: 3000 }, (_, id) => ({ id, command: `echo ${id} | grep ${id}` }));
  const answers = await answer(machine, [{ command: `echo ${"x".repeat(2_000_000)}` }, ...many]);
  assert.equal(answers.length, 3001);
  assert.deepEqual((answers[3000] as { id: number }).id, 2999);
});

test("wrong use is told in one sentence and ends with code 2", async (t) => {
  const machine = await openMachine(t);
  const wrong: Record<string, readonly string[]> = {
    "Say what to check": ["check"],
    "VALUE is missing": ["check", "url"],
    'Did you mean "command"\\?': ["check", "comand", "ls"],
    "exclude each other": ["check", "url", "http://a.example", "--stdin"],
    "--op belongs to": ["check", "command", "ls", "--op", "read"],
    "does not exist": ["check", "path", "a", "--workdir", "/no/such/folder"],
  };
  for (const [sentence, args] of Object.entries(wrong)) {
    const { code, stdout, stderr } = await machine.run(args);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, new RegExp(`^deckhand: [^\\n]*${sentence}[^\\n]*\\n$`));
  }
});

test("checking leaves nothing behind", async (t) => {
  const machine = await openMachine(t);
  await answer(machine, [{ command: "ls" }, { path: "a", op: "write" }, { url: "http://a.example" }, { text: "x" }]);
  assert.deepEqual(await readdir(machine.workdir), []);
  assert.deepEqual(await readdir(dirname(machine.workdir)), ["work"]);
});
