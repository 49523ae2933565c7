import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { count } from "../support/counts.ts";
import { until } from "../support/runtime.ts";
import { openToolBench, type ToolBench } from "./support.ts";

/** Says its number three times: from the top of the file, from what it made, and from inside the call. */
function numbered(number: number): string {
  return `import { appendFileSync } from "node:fs";
const top = ${number};
export const TOOL_SPEC = {
  name: "say",
  description: "Say a number.",
  input_schema: { type: "object", properties: {} },
};
export function create({ workdir }) {
  const note = (what) => appendFileSync(workdir + "/life.txt", what + " " + id + "\\n");
  const id = crypto.randomUUID();
  const made = ${number};
  note("create");
  return {
    run() {
      return [top, made, ${number}].join(" ");
    },
    close: () => note("close"),
  };
}
`;
}

/** What the record of a call must name that ran this. */
function versionOf(number: number): string {
  return `say@${createHash("sha256").update(numbered(number)).digest("hex").slice(0, 12)}`;
}

const reloads = count({ quick: 30, full: 1000 });
const callers = 4;
/** Reloads between two looks at the figures. */
const every = 20;

test(`${reloads} reloads under load: no call is lost or runs on half of a version, nothing piles up [C3 C4 C5 C10]`, async (t) => {
  const bench = await openToolBench(t, { "say.ts": numbered(0) });
  const runtime = await bench.open();
  const versions = new Set<string>();
  let [calls, newest, isOver] = [0, 0, false];

  async function load(): Promise<void> {
    while (!isOver) {
      const oldest = newest;
      const { state, error, result, version } = await runtime.call("say", {});
      assert.equal(state, "completed", error ?? "");
      const [number, ...others] = result!.output!.split(" ");
      assert.deepEqual(others, [number, number]);
      assert.equal(version, versionOf(Number(number)));
      versions.add(version);
      // What was saved before the call began is what it runs, or what was saved since.
      assert.ok(Number(number) >= oldest, `${number} although ${oldest} was there`);
      calls += 1;
    }
  }

  await runtime.call("say", {});
  const before = figuresOf(bench);
  const under: Figures[] = [];
  const loads = Promise.all(Array.from({ length: callers }, load));
  try {
    for (let number = 1; number <= reloads; number++) {
      const done = calls;
      await bench.save("say.ts", numbered(number));
      newest = number;
      await Promise.race([loads, until("calls go on", () => calls > done + 1, 60_000)]);
      if (number % every === 0) under.push(figuresOf(bench));
    }
  } finally {
    isOver = true;
  }
  await loads;
  assert.ok(Math.max(...under.map(({ hosts }) => hosts)) <= 16);
  const after = await untilAtRest(bench, before);
  t.diagnostic(
    `${calls} calls, ${versions.size} versions; ${JSON.stringify({ before, half: under[under.length >> 1], after })}`,
  );
  // The first hundred fill caches; few reloads say nothing about memory.
  if (reloads >= 1000) {
    const settled = under[100 / every - 1]!;
    assert.ok(after.heapMegabytes <= settled.heapMegabytes + 10, JSON.stringify({ settled, after }));
    assert.ok(after.megabytes <= settled.megabytes + 50, JSON.stringify({ settled, after }));
  }
  await runtime.close();
  assert.deepEqual(await unpaired(bench), []);
  assert.deepEqual(hostsOf(bench), []);
});

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

interface Figures {
  /** Processes of tools. */
  readonly hosts: number;
  /** Open files, pipes and sockets of this process. */
  readonly files: number;
  /** Timers, pipes and the like that the event loop waits for. */
  readonly resources: number;
  /** Of the process, with what the heap holds in reserve. */
  readonly megabytes: number;
  /** What is really in use. */
  readonly heapMegabytes: number;
}

/** What would grow if a reload left something behind. */
function figuresOf(bench: ToolBench): Figures {
  collectGarbage();
  return {
    hosts: hostsOf(bench).length,
    files: namesIn("/proc/self/fd").length,
    resources: process.getActiveResourcesInfo().length,
    megabytes: Math.round(process.memoryUsage.rss() / 1024 / 1024),
    heapMegabytes: Math.round(process.memoryUsage().heapUsed / 1024 / 1024),
  };
}

/** Old processes end by themselves; one is left, and what it needs. */
async function untilAtRest(bench: ToolBench, before: Figures): Promise<Figures> {
  return until("nothing but the last process is left", () => {
    const now = figuresOf(bench);
    const isAtRest =
      now.hosts <= before.hosts && now.files <= before.files + 3 && now.resources <= before.resources + 3;
    return isAtRest && now;
  });
}

/** Processes that run a tool of this workdir, as the system sees them. */
function hostsOf({ home }: ToolBench): string[] {
  return namesIn("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return words[0] === process.execPath && words.some((word) => word.startsWith(`${home}/`));
    } catch {
      return false; // It has ended meanwhile.
    }
  });
}

/** Empty on a system without it. */
function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** What was made and is not closed. */
async function unpaired({ home }: ToolBench): Promise<string[]> {
  const lines = (await readFile(join(home, "life.txt"), "utf8")).trim().split("\n");
  const open = new Set<string>();
  for (const line of lines) {
    const [what, id] = line.split(" ");
    if (what === "create") open.add(id!);
    else assert.ok(open.delete(id!), "closed without being made");
  }
  return [...open];
}
