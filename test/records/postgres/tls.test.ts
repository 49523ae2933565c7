import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { messageOf } from "../../../src/core/errors.ts";
import {
  openPostgresTaskStore,
  type PostgresTaskStore,
} from "../../../src/records/postgres/tasks/postgres-task-store.ts";
import { afterTest } from "../../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../../support/postgres.ts";
import { lane } from "../../support/require.ts";

/** Addresses of this machine, so that no port is anybody else's. */
const [known, unknown] = [1, 2].map((last) => `127.${(process.pid >> 8) & 255}.${process.pid & 255}.${last}`) as [
  string,
  string,
];
const password = "open-sesame-4711";

async function open(t: TestContext, address: string): Promise<PostgresTaskStore> {
  const store = await openPostgresTaskStore({ scope: "app", address, clock: systemClock, worker: null });
  afterTest(t, () => store.close());
  return store;
}

async function refused(t: TestContext, address: string, words: RegExp): Promise<void> {
  await assert.rejects(open(t, address), (thrown: unknown) => {
    assert.equal((thrown as { code?: unknown }).code, "STORE_UNAVAILABLE");
    assert.match(messageOf(thrown), words);
    assert.doesNotMatch(messageOf(thrown), /sesame|\n/);
    return true;
  });
}

describe("a PostgreSQL with TLS", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  let certificate: string;
  let local: string;
  const addressOf = (host: string, options: string, given = password): string =>
    `postgres://ann:${given}@${host}/${/test_\d+/.exec(local)![0]}?${options}`;

  before(async () => {
    server = await openPostgres();
    local = await server.createDatabase();
    await server.query(local, `CREATE ROLE ann LOGIN SUPERUSER PASSWORD '${password}'`);
    await server.stop();
    const key = join(server.folder, "server.key");
    certificate = join(server.folder, "server.pem");
    const subject = ["-subj", "/CN=deckhand", "-addext", `subjectAltName=IP:${known}`];
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", certificate, ...subject],
      { stdio: "pipe" },
    );
    server.give(key);
    const rules = join(server.folder, "data/pg_hba.conf");
    writeFileSync(rules, `host all all 127.0.0.0/8 scram-sha-256\n${readFileSync(rules, "utf8")}`);
    const tls = ["ssl=on", `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`];
    await server.start([...tls, `listen_addresses=${known},${unknown}`]);
  });
  after(() => server.close());

  const isEncrypted = async (): Promise<unknown> =>
    (
      await server.query(
        local,
        "SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'deckhand'",
      )
    )[0]?.["ssl"];

  test("a certificate that nobody vouches for is refused, whatever the mode says, but for no-verify [T4]", async (t) => {
    for (const mode of ["prefer", "require", "verify-ca", "verify-full"]) {
      const words =
        /^The store postgres:\/\/ann@127\.[\d.]+\/test_\d+ can't be reached safely: self-signed certificate\. Name the certificate .*sslrootcert=/;
      await refused(t, addressOf(known, `sslmode=${mode}`), words);
    }
    const store = await open(t, addressOf(unknown, "sslmode=no-verify"));
    assert.equal(await store.count({}), 0);
    assert.equal(await isEncrypted(), true);
  });

  test("one that the address names is taken, for the host that it is made for [T4]", async (t) => {
    const vouched = `sslrootcert=${encodeURIComponent(certificate)}`;
    const store = await open(t, addressOf(known, `sslmode=verify-full&${vouched}`));
    assert.equal(await store.count({}), 0);
    assert.equal(await isEncrypted(), true);
    await open(t, addressOf(known, `sslmode=require&${vouched}`));
    await refused(
      t,
      addressOf(unknown, `sslmode=verify-full&${vouched}`),
      /safely: Hostname\/IP does not match certificate's altnames/,
    );
    await refused(
      t,
      addressOf(known, "sslmode=verify-full&sslrootcert=/nowhere.pem"),
      /safely: ENOENT: no such file or directory, open '\/nowhere\.pem'\. Name/,
    );
  });

  test("a wrong password is refused without being shown [T4]", async (t) => {
    await refused(
      t,
      addressOf(known, "sslmode=no-verify", "wrong-sesame-1"),
      /does not let us in: password authentication failed for user "ann"\. Correct the user/,
    );
  });

  test("a server without TLS is not spoken to where the address asks for it [T4]", async (t) => {
    const plain = await openPostgres();
    afterTest(t, () => plain.close());
    const address = await plain.createDatabase();
    await refused(t, `${address}&sslmode=require`, /safely: The server does not support SSL connections\. Name/);
  });
});
