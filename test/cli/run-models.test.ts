import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { serveScript } from "../../packages/testing/src/serve-script.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";
import { openMachine } from "./run-deckhand.ts";

describe("a model that can't be had is told in one sentence [L3]", () => {
  test("no model at all: what to do, with 2", async (t) => {
    const machine = await openMachine(t);
    const { code, stdout, stderr } = await machine.run(["run", "hello"], { env: { OLLAMA_HOST: "127.0.0.1:9" } });
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    assert.match(stderr, /^No model yet\. Any one of these is enough:/);
  });
  for (const [name, status, expected] of [
    ["a wrong key", 401, /key/i],
    ["an unknown model", 404, /model/i],
  ] as const) {
    test(name, async (t) => {
      const base = await serve(t, status);
      const machine = await openMachine(t);
      const env = { ANTHROPIC_API_KEY: "sk-wrong-1234567890", ANTHROPIC_BASE_URL: base };
      const { code, stdout, stderr } = await machine.run(["run", "hello", "--quiet", "--model", "anthropic/nobody"], {
        env,
      });
      assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
      assert.match(stderr, /^deckhand: [^\n]+\n$/);
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /sk-wrong/);
    });
  }
  test("a provider that does not exist, with 2", async (t) => {
    const machine = await openMachine(t);
    const { code, stdout, stderr } = await machine.run(["run", "hello", "--model", "nobody/nothing"]);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    assert.match(stderr, /^deckhand: [^\n]*nobody[^\n]*\n$/);
  });
  test("a host that does not answer is tried again, and Ctrl-C ends that", async (t) => {
    const machine = await openMachine(t);
    const env = { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
    const running = machine.start(["run", "hello", "--model", "anthropic/claude-sonnet-4-5"], { env });
    await until("it is tried again", () => /127\.0\.0\.1:9[\s\S]*Trying again in /.test(running.stderr()), 30_000);
    running.child.kill("SIGINT");
    assert.equal((await running.ended).code, 130);
  });
});

test("--force-tool asks for a tool in the first reply to a task [L1]", async (t) => {
  const asked: { tool_choice?: { type: string } }[] = [];
  const base = await serve(t, 401, (body) => asked.push(JSON.parse(body) as { tool_choice?: { type: string } }));
  const machine = await openMachine(t);
  const env = { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: base };
  const args = ["run", "fix the tests", "--model", "anthropic/claude-sonnet-4-5"];
  await machine.run([...args, "--force-tool"], { env });
  await machine.run(args, { env });
  assert.deepEqual(
    asked.map((body) => body.tool_choice?.type ?? "auto"),
    ["any", "auto"],
  );
});

/** A provider that answers everything with a status. */
async function serve(
  t: TestContext,
  status: number,
  onBody: (body: string) => void = () => undefined,
): Promise<string> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      onBody(Buffer.concat(pieces).toString());
      response.writeHead(status, { "content-type": "application/json" });
      const type = status === 404 ? "not_found_error" : "authentication_error";
      response.end(JSON.stringify({ type: "error", error: { type, message: "refused" } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterTest(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("--append-system-prompt adds to the system prompt, from an option or a file, however it begins [L2]", async (t) => {
  const server = await serveScript({ turns: ["One.", "Two."] });
  afterTest(t, () => server.close());
  const machine = await openMachine(t);
  const env = { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: server.url };
  await writeFile(join(machine.workdir, "terse.md"), "-- be terse\n</notes>\n");
  for (const option of ["--append-system-prompt=-- be\nbrief", "--append-system-prompt-file=terse.md"]) {
    const ended = await machine.run(["run", "hello", "--model=anthropic/fake", option], { env });
    assert.equal(ended.code, 0, ended.stderr);
  }
  const told = server.requests.map(({ system }) => system);
  assert.match(told[0]!, /^You are Deckhand[^]*\n\n-- be\nbrief$/);
  assert.match(told[1]!, /^You are Deckhand[^]*\n\n-- be terse\n<\/notes>\n$/);
});
