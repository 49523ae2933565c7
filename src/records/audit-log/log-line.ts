import { hash } from "node:crypto";

/**
 * One line is
 *
 *     {"v":1,"writer":"…","seq":7,"prev":"…","after":"…","at":"…","type":"…",…,"hash":"…"}
 *
 * in exactly this order, and `hash` is the SHA-256, in lower-case hex, of the bytes of the line before `,"hash":`. So
 * whoever checks a line needs no JSON parser: the last 75 bytes are the hash, all before them is what was hashed.
 *
 * `prev` is the hash of this writer's line before (null on its first). `after` is the hash of the last line of somebody else
 * that it had seen; left out when there was nothing new to see.
 */
export interface LineHead {
  readonly writer: string;
  readonly seq: number;
  readonly prev: string | null;
  readonly after: string | null;
  readonly at: string;
}

export interface Line extends LineHead {
  readonly type: string;
  /** As it stands in the line; whether it is true is another question (`hashOfLine`). */
  readonly hash: string;
}

/** `body` is the inside of an object that begins with its type. The text ends with a line end. */
export function encodeLine(head: LineHead, body: string): { readonly text: string; readonly hash: string } {
  const { writer, seq, prev, after, at } = head;
  const chained = prev === null ? "null" : `"${prev}"`;
  const seen = after === null ? "" : `"after":"${after}",`;
  const hashed = `{"v":1,"writer":"${writer}","seq":${seq},"prev":${chained},${seen}"at":"${at}",${body}`;
  const digest = hash("sha256", hashed, "hex");
  return { text: `${hashed},"hash":"${digest}"}\n`, hash: digest };
}

/** The inside of the object, with every character escaped that could drive a terminal or break a line. */
export function encodeBody(entry: object): string {
  return escapeInvisible(JSON.stringify(entry).slice(1, -1));
}

/** What stands in the line at its fixed places; undefined when it has not the form of a line. `bytes` is without line end. */
export function parseLine(bytes: Buffer): Line | undefined {
  const end = bytes.length - suffixBytes;
  if (end < 0) return undefined;
  const suffix = suffixForm.exec(bytes.toString("latin1", end));
  const head = suffix && headForm.exec(bytes.toString("latin1", 0, Math.min(end, longestHead)));
  if (!head) return undefined;
  const [, writer, seq, prev, after, at, type] = head;
  return {
    writer: writer!,
    seq: Number(seq),
    prev: prev ?? null,
    after: after ?? null,
    at: at!,
    type: type!,
    hash: suffix[1]!,
  };
}

/** Whose line it was, or was going to be, by its first and last bytes; for what is no line, or none any more. */
export interface Claim {
  readonly writer: string;
  readonly seq: number;
  /** Null when it does not end like a line. */
  readonly hash: string | null;
}

export function readClaim(bytes: Buffer): Claim | undefined {
  const begin = claimForm.exec(bytes.toString("latin1", 0, Math.min(bytes.length, longestHead)));
  if (!begin) return undefined;
  const end = suffixForm.exec(bytes.toString("latin1", Math.max(0, bytes.length - suffixBytes)));
  return { writer: begin[1]!, seq: Number(begin[2]), hash: end?.[1] ?? null };
}

/** What the hash of this line has to be. */
export function hashOfLine(bytes: Buffer): string {
  return hash("sha256", bytes.subarray(0, Math.max(0, bytes.length - suffixBytes)), "hex");
}

export const linePrefix = Buffer.from('{"v":1,"writer":"');
/** `,"hash":"` + 64 digits + `"}` */
export const suffixBytes = 75;
export const suffixForm = /^,"hash":"([0-9a-f]{64})"\}$/;
const claimForm = /^\{"v":1,"writer":"([0-9a-z_-]{1,64})","seq":([1-9][0-9]{0,14}),"/;
const longestHead = 400;
const headForm =
  /^\{"v":1,"writer":"([0-9a-z_-]{1,64})","seq":([1-9][0-9]{0,14}),"prev":(?:null|"([0-9a-f]{64})"),(?:"after":"([0-9a-f]{64})",)?"at":"([^"\\]{1,40})","type":"([a-z_]{1,40})"/;

/** C0 is escaped by JSON itself. Also here: DEL, C1, line separators, and whatever hides, joins or reverses text. */
const invisible = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

export function escapeInvisible(json: string): string {
  // Nearly all lines are plain ASCII, and that is told faster than it is searched.
  if (Buffer.byteLength(json) === json.length && !json.includes("\u007f")) return json;
  return json.replaceAll(invisible, (character) => {
    let escaped = "";
    for (let index = 0; index < character.length; index++) {
      escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
    }
    return escaped;
  });
}
