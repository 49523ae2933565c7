import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { createRuntime, type Runtime } from "../../src/runtime/create-runtime.ts";
import { afterTest } from "../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { isolatedEnvironment } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../tasks/support/until.ts";

async function open(t: TestContext, url: string): Promise<Runtime> {
  const workdir = await temporaryFolder(t);
  // The same project, checked out on two machines.
  const settings = { store: { url }, schedule: { scope: "project" } };
  const runtime = await createRuntime({ workdir, env: isolatedEnvironment(workdir), settings });
  afterTest(t, () => runtime.close());
  return runtime;
}

test("a shared store that can't be reached stops nobody who does not need it [D1] [L7]", async (t) => {
  const runtime = await open(t, "postgres://ann@127.0.0.1:1/x");
  assert.equal((await runtime.call("list_files", {})).state, "completed");
  await assert.rejects(runtime.schedule(), { code: "STORE_UNAVAILABLE" });
  await assert.rejects(runtime.inbox.list(), { code: "STORE_UNAVAILABLE" });
});

describe("runtimes that share a store", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  test("a job of one is run by another, and both know how it ended [D1]", async (t) => {
    const url = await server.createDatabase();
    const [here, there] = [await open(t, url), await open(t, url)];
    const mine = await here.schedule();
    await mine.add({ name: "nightly", tool: "list_files", input: {}, cron: "0 3 * * *" }, { by: "ann" });
    const theirs = await there.schedule();
    assert.deepEqual(
      (await theirs.list()).map(({ job }) => job.name),
      ["nightly"],
    );
    const { id } = await mine.runNow("nightly", { by: "ann" });
    await theirs.start();
    await until(async () => (await mine.getRun(id))?.state === "succeeded", "its end");
    assert.deepEqual(await mine.getRun(id), await theirs.getRun(id));
  });
});
