import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Peer, PeerRequest } from "../../src/process/run/open-peer.ts";
import { commandsWith, eventually, inMode, modes, openBench, runsIn } from "./support.ts";
import type { Bench } from "./support.ts";

async function open(bench: Bench, argv: PeerRequest["argv"], more: Partial<PeerRequest> = {}): Promise<Peer> {
  const env = { PATH: process.env["PATH"]! };
  const start = await bench.processes.openPeer({ argv, cwd: bench.folder, env, executionId: "peer_1", ...more });
  assert.ok(start.ok, JSON.stringify(start));
  return start.peer;
}

for (const mode of modes) {
  describe(`sandbox ${mode}`, inMode(mode), () => {
    test("a peer answers what it is written, and ends when its input ends [E4]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      const peer = await open(bench, [
        "sh",
        "-c",
        "while read line; do echo you said $line; echo note >&2; done; exit 4",
      ]);
      peer.stdin.write("hello\n");
      const [answer] = (await once(peer.stdout, "data")) as [Buffer];
      assert.equal(answer.toString(), "you said hello\n");
      peer.stdin.end();
      assert.deepEqual(await peer.exited, { exitCode: 4, killedBy: null });
      assert.equal(peer.stderrTail(), "note\n");
      assert.deepEqual(runsIn(join(bench.folder, "run")), []);
    });

    test("stop ends a peer and everything it started, with proof [E4]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      const script = `trap '' TERM; setsid sleep 300 & echo up; while :; do sleep 1; done # ${bench.folder}`;
      const peer = await open(bench, ["bash", "-c", script]);
      await once(peer.stdout, "data");
      const report = await peer.stop();
      assert.deepEqual([report.survivors, report.proof], [[], mode === "off" ? "marker" : "namespace"]);
      assert.deepEqual(commandsWith(bench.folder), []);
      assert.deepEqual(await peer.exited, { exitCode: null, killedBy: "SIGKILL" });
      assert.equal(await peer.stop(), report);
    });

    test("writing to a peer that has ended harms nobody [E4]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      const peer = await open(bench, ["true"]);
      await peer.exited;
      for (let n = 0; n < 20; n++) peer.stdin.write("x".repeat(100_000));
      await new Promise((resolve) => setTimeout(resolve, 50));
    });

    test("a peer that dies by itself takes what it left behind along [E4]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      const peer = await open(bench, ["bash", "-c", `sleep 300 & kill -9 $$ # ${bench.folder}`]);
      assert.deepEqual(await peer.exited, { exitCode: null, killedBy: "SIGKILL" });
      assert.deepEqual(commandsWith(bench.folder), []);
    });

    test("the signal stops a peer, and closing the runtime does too [E4]", async (t) => {
      const bench = await openBench(t, { sandbox: mode });
      const controller = new AbortController();
      const first = await open(bench, ["sleep", "300"], { signal: controller.signal });
      const second = await open(bench, ["sleep", "300"]);
      controller.abort();
      assert.deepEqual(await first.exited, { exitCode: null, killedBy: "SIGTERM" });
      await bench.processes.close();
      assert.deepEqual(await second.exited, { exitCode: null, killedBy: "SIGTERM" });
    });

    test("a peer that can't be started is a value [E4]", async (t) => {
      const { processes, folder } = await openBench(t, { sandbox: mode });
      const start = await processes.openPeer({ argv: ["no-such-server"], cwd: folder, env: {}, executionId: "peer_2" });
      assert.deepEqual(start, {
        ok: false,
        startError: {
          code: "ENOENT",
          message: 'The program "no-such-server" was not found in PATH; check its name, or install it.',
        },
      });
    });
  });
}

test("of stderr only the end is kept [E4]", async (t) => {
  const bench = await openBench(t);
  const peer = await open(bench, ["sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x >&2; printf end >&2"], {
    stderrBytes: 1000,
  });
  await peer.exited;
  await eventually(() => peer.stderrTail().endsWith("end"), "the last words came through");
  assert.equal(peer.stderrTail(), `${"x".repeat(997)}end`);
});
