import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { RuntimeEvent } from "../../src/core/events.ts";
import type { Progress } from "../../src/core/tool.ts";
import { createSecretMaker, makePrivateKey, makeWebToken } from "../guard/secrets/make-secret.ts";
import { looseTool } from "../support/engine.ts";
import { isolatedEnvironment, openRuntime } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

const maker = createSecretMaker(99);
const ofEnvironment = `planted ${maker.letters(20)}`;
const planted = {
  environment: ofEnvironment,
  github: `ghp_${maker.letters(36)}`,
  aws: `AKIA${maker.capitals(16)}`,
  jwt: makeWebToken(maker),
  key: makePrivateKey(maker, "RSA "),
  password: `pw-${maker.letters(12)}`,
};
const lines = [
  `token ${planted.github} and ${planted.aws}`,
  `Authorization: Bearer ${planted.jwt}`,
  planted.key,
  `password=${planted.password}`,
  `from the environment: ${planted.environment}`,
];

/** Tells and returns secrets in every way a tool has. */
const leaky = looseTool({
  name: "leaky",
  run(input, context) {
    const text = lines.join("\n");
    for (let at = 0; at < text.length; at += 7) context.progress({ output: text.slice(at, at + 7), stream: "stdout" });
    for (const line of lines) context.progress({ message: line });
    // More than the type knows, as a tool without types may tell.
    const more = { data: { token: planted.password, [planted.github]: 1 }, stream: planted.aws };
    context.progress(more as unknown as Progress);
    if (input["fails"] === true) return Promise.reject(new Error(text));
    return Promise.resolve({
      ok: true,
      output: text,
      data: { password: planted.password, deep: [{ text }], name: `/tmp/${planted.github}.txt` },
      files: [`/tmp/${planted.aws}/${planted.github}`],
    });
  },
});

test("after a run with planted secrets no file of the data folder and no event holds one [D4]", async (t) => {
  const home = await temporaryFolder(t);
  const env = { ...isolatedEnvironment(home), PLANTED_SECRET: ofEnvironment };
  const runtime = await openRuntime(t, { home, env, tools: [leaky] });
  const events: RuntimeEvent[] = [];
  runtime.on("*", (event) => void events.push(event));

  await runtime.call("leaky", { text: lines.join("\n"), password: planted.password });
  await runtime.call("leaky", { fails: true, note: planted.key });
  await runtime.call(`no tool ${planted.github}`, {});
  const command = `cat <<'END'\n${lines.join("\n")}\nEND\nseq 1 20000\necho ${planted.github}`;
  const shell = await runtime.call("bash", { command });
  assert.ok(shell.result?.output?.includes(planted.github), "the caller gets the raw result");
  const listed = await runtime.list({ limit: 10 });
  await runtime.close();

  const files = await readAll(join(home, ".deckhand"));
  assert.ok(
    files.some(({ name }) => name.includes("outputs")),
    "the whole output of the command was kept",
  );
  assert.ok(events.some(({ type }) => type === "execution:progressed"));
  const told = [
    ...files,
    ...events.map((event) => ({ name: event.type, bytes: Buffer.from(JSON.stringify(event)) })),
    { name: "all progress", bytes: Buffer.from(progressOf(events)) },
    { name: "list", bytes: Buffer.from(JSON.stringify(listed)) },
  ];
  const secrets = [...Object.values(planted).slice(0, 4), planted.password, planted.key.split("\n")[2]!];
  for (const { name, bytes } of told) {
    for (const secret of secrets) assert.ok(!bytes.includes(secret), `${name} holds ${secret}`);
  }
});

test("a private key that a cut or a gap goes through is in no record, event or file [D4]", async (t) => {
  const home = await temporaryFolder(t);
  const severalLines = `two\n${maker.letters(20)}\nlines ${maker.letters(8)}`;
  const env = { ...isolatedEnvironment(home), DB_PASSWORD: severalLines };
  const runtime = await openRuntime(t, { home, env });
  const events: RuntimeEvent[] = [];
  runtime.on("*", (event) => void events.push(event));
  for (const secret of [planted.key, severalLines]) {
    await writeFile(join(home, "secret"), `${secret}\n`);
    for (const before of ["", "x", "some more"]) {
      const command = `printf '${before}'; for i in $(seq 1 11); do cat secret >> all; cat all all > more; mv more all; done; cat all all >&2; rm all`;
      const shell = await runtime.call("bash", { command });
      assert.match(shell.result?.output ?? "", /characters left out\] …\n/);
    }
  }
  await runtime.close();

  const told = [
    ...(await readAll(join(home, ".deckhand"))),
    ...events.map((event) => ({ name: event.type, bytes: Buffer.from(JSON.stringify(event)) })),
    { name: "all progress", bytes: Buffer.from(progressOf(events)) },
  ];
  const parts = [...planted.key.split("\n").slice(1, -1), ...severalLines.split("\n").slice(1)].map((line) =>
    line.slice(-20),
  );
  for (const { name, bytes } of told) {
    for (const part of parts) assert.ok(!bytes.includes(part), `${name} holds ${part}`);
  }
});

function progressOf(events: readonly RuntimeEvent[]): string {
  return events.map((event) => (event.type === "execution:progressed" ? (event.progress.output ?? "") : "")).join("");
}

async function readAll(folder: string): Promise<{ name: string; bytes: Buffer }[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(name) })));
}
