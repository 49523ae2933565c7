import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../core/errors.ts";

const linkMode = 0o160000;

/**
 * The paths of a git index at which another repository lies: `git status` and `git diff` look into those, by their own settings.
 * Undefined when it can't be read as a whole. See gitformat-index(5).
 */
export function readGitlinks(git: string, hashBytes: 20 | 32): string[] | undefined {
  let index: Buffer;
  try {
    index = readFileSync(join(git, "index"));
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? [] : undefined;
  }
  const version = index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const links: string[] = [];
  let at = 12;
  let path: Buffer = Buffer.alloc(0);
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + 40 + hashBytes;
    let nameAt = flagsAt + (version > 2 && index.readUInt16BE(flagsAt) & 0x4000 ? 4 : 2);
    let shared = 0;
    if (version === 4) {
      const { value, end } = readVarint(index, nameAt);
      shared = path.length - value;
      nameAt = end;
    }
    const end = index.indexOf(0, nameAt);
    if (end < 0 || shared < 0) return undefined;
    const name = index.subarray(nameAt, end);
    path = shared === 0 ? name : Buffer.concat([path.subarray(0, shared), name]);
    if (index.readUInt32BE(at + 24) === linkMode) links.push(path.toString());
    // The others are filled up with zeros to a multiple of eight bytes, at least one.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return hasSharedPart(index, at, index.length - hashBytes) ? undefined : links;
}

function readVarint(index: Buffer, at: number): { value: number; end: number } {
  let byte = index.readUInt8(at);
  let value = byte & 0x7f;
  let end = at + 1;
  for (; byte & 0x80; end += 1) {
    byte = index.readUInt8(end);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end };
}

/** Some of its entries are in another file. */
function hasSharedPart(index: Buffer, start: number, end: number): boolean {
  for (let at = start; at + 8 <= end; at += 8 + index.readUInt32BE(at + 4))
    if (index.toString("latin1", at, at + 4) === "link") return true;
  return false;
}
