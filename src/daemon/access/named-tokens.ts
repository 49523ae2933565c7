import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, RuntimeError } from "../../core/errors.ts";
import { digestOf, isSameDigest } from "../../http/bearer.ts";
import { rights, type Right } from "../server/route.ts";

/** Tokens with a name and their own rights, for programs of the person's. The file has digests only. */
export interface NamedTokens {
  list(): readonly NamedToken[];
  /** The token itself, which is shown once and kept nowhere. */
  add(name: string, rights: readonly Right[], now: number): string;
  /** False: there is none of that name. */
  remove(name: string): boolean;
  find(token: string): NamedToken | undefined;
}

export interface NamedToken {
  readonly name: string;
  readonly rights: readonly Right[];
  readonly createdAt: number;
}

interface Kept extends NamedToken {
  readonly digest: string;
}

/** Whom records name otherwise. */
const reserved = new Set(["owner", "user", "mcp"]);

/** Looked at anew whenever the file has changed: what was added or removed counts at once, also in a daemon that runs. */
export function openNamedTokens(stateFolder: string): NamedTokens {
  const file = openPrivateFile(join(stateFolder, "daemon-tokens.json"));
  let kept: readonly Kept[] = [];
  let mark: string | undefined;

  function look(): readonly Kept[] {
    const now = file.mark();
    if (now === mark) return kept;
    kept = readKept(file.read());
    mark = now;
    return kept;
  }

  return {
    list: () => look().map(({ name, rights: has, createdAt }) => ({ name, rights: has, createdAt })),
    add(name, wanted, now) {
      checkName(name);
      if (look().some((each) => each.name === name)) {
        throw new RuntimeError("CONFIG_INVALID", `There is a token "${name}" already; remove it first.`);
      }
      const token = randomBytes(32).toString("hex");
      file.write([...look(), { name, rights: wanted, createdAt: now, digest: digestOf(token) }]);
      return token;
    },
    remove(name) {
      const rest = look().filter((each) => each.name !== name);
      if (rest.length === kept.length) return false;
      file.write(rest);
      return true;
    },
    find(token) {
      const digest = digestOf(token);
      return look().find((each) => isSameDigest(each.digest, digest));
    },
  };
}

function checkName(name: string): void {
  if (/^[a-z0-9][a-z0-9_-]{0,39}$/i.test(name) && !reserved.has(name.toLowerCase())) return;
  throw new RuntimeError(
    "CONFIG_INVALID",
    `A token's name has 1 to 40 letters, digits, "-" or "_", and is not ${[...reserved].join(", ")}; got "${name}".`,
  );
}

function readKept(found: unknown): Kept[] {
  if (!Array.isArray(found)) return [];
  return (found as Partial<Kept>[]).flatMap((each) => {
    const { name, digest, createdAt } = Object(each) as Partial<Kept>;
    if (typeof name !== "string" || typeof digest !== "string") return [];
    const given: readonly unknown[] = Array.isArray(each.rights) ? each.rights : [];
    return [{ name, digest, createdAt: Number(createdAt), rights: rights.filter((right) => given.includes(right)) }];
  });
}

/** A small JSON file that only this person may read or write. */
export interface PrivateFile {
  /** Undefined when it is not there. Throws CONFIG_INVALID when others could have read or written it, or it is no JSON. */
  read(): unknown;
  write(value: unknown): void;
  /** Another text when it may have changed. */
  mark(): string;
}

export function openPrivateFile(path: string): PrivateFile {
  return {
    read() {
      let text: string;
      try {
        const file = lstatSync(path);
        const isOurs = process.getuid === undefined || file.uid === process.getuid();
        if (!file.isFile() || !isOurs || (file.mode & 0o077) !== 0) throw notPrivate(path);
        text = readFileSync(path, "utf8");
      } catch (thrown) {
        if (codeOf(thrown) === "ENOENT") return undefined;
        throw thrown;
      }
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw new RuntimeError("CONFIG_INVALID", `${path} is not JSON; mend it or delete it.`, { cause });
      }
    },
    write(value) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const next = `${path}.${process.pid}`;
      writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
      renameSync(next, path);
    },
    mark() {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size} ${stats.mode}` : "";
    },
  };
}

function notPrivate(path: string): RuntimeError {
  return new RuntimeError(
    "CONFIG_INVALID",
    `${path} must be a file of yours that nobody else can read (mode 0600); look at who did that, then chmod 600 it or delete it.`,
  );
}
