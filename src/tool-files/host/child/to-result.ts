import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { messageOf } from "../../../core/errors.ts";
import { cutText } from "../../../core/text.ts";
import type { ToolResult } from "../../../core/tool.ts";
import type { FromHost, ToHost } from "../host-protocol.ts";

/** More than this of text is cut, and more than this of data is left out. */
const longestText = 8_000_000;

/** What a `run` returned as a result. Never throws: what is no result is a failure that says so. */
export function toResult(value: unknown): ToolResult {
  try {
    return read(value);
  } catch (thrown) {
    return invalid(`something that can't be written as JSON (${messageOf(thrown).split("\n")[0]})`);
  }
}

export function thrownResult(thrown: unknown): ToolResult {
  const stack = (thrown as { stack?: unknown } | null)?.stack;
  const trace = typeof stack === "string" ? stack.split("\n").filter(isOfTool).slice(0, 6).join("\n") : "";
  const error = cutText(messageOf(thrown), 10_000);
  const errorType = thrownType(thrown);
  return { ok: false, error, errorType, ...(trace === "" ? {} : { output: trace }) };
}

/** What kind of failure was thrown. Permission and damaged data are named: one of them is enough to take a new version back. */
export function thrownType(thrown: unknown): string {
  const { code, name, message, errcode, error_type: said } = Object(thrown) as Readonly<Record<string, unknown>>;
  if (typeof said === "string" && said !== "") return said.slice(0, 100);
  if (code === "EACCES" || code === "EPERM") return "permission";
  // EBADMSG and EUCLEAN are what file systems say of damaged data; 11 and 26 are SQLite's CORRUPT and NOTADB.
  if (code === "EBADMSG" || code === "EUCLEAN" || errcode === 11 || errcode === 26) return "data_corruption";
  if ([code, name].some((word) => typeof word === "string" && /corrupt/i.test(word))) return "data_corruption";
  return isOutOfMemory(String(message)) ? "memory" : "threw";
}

function isOutOfMemory(message: string): boolean {
  return /^(?:Array buffer allocation failed|Failed to allocate memory)/.test(message);
}

function isOfTool(line: string): boolean {
  return /^\s+at /.test(line) && !line.includes("node:internal") && !line.includes(import.meta.dirname);
}

function read(value: unknown): ToolResult {
  if (typeof value === "string") return withOutput({ ok: true, output: "" }, value);
  if (value === undefined) return { ok: true, output: "" };
  if (value instanceof Uint8Array) return withOutput({ ok: true, output: "" }, Buffer.from(value).toString("utf8"));
  if (value instanceof Error) return thrownResult(value);
  if (typeof value === "function" || typeof value === "symbol") return invalid(`a ${typeof value}`);
  if (isResultLike(value)) return readResult(value);
  const text = toJson(value);
  return withData(withOutput({ ok: true, output: "" }, text), text);
}

type ResultLike = Readonly<Record<string, unknown>> & { readonly ok: boolean };

function isResultLike(value: unknown): value is ResultLike {
  return typeof value === "object" && value !== null && typeof (value as { ok?: unknown }).ok === "boolean";
}

function readResult(value: ResultLike): ToolResult {
  const { ok, output, data, files, error, hint, errorType, error_type: snakeType = errorType } = value;
  const text =
    output === undefined || output === null ? undefined : typeof output === "string" ? output : toJson(output);
  const dataText = data === undefined ? undefined : toJson(data);
  const more = Array.isArray(files) && files.length > 0 ? { files: files.map(String) } : {};
  if (ok) {
    const result = withOutput({ ok: true, output: "", ...more }, text ?? dataText ?? "");
    return dataText === undefined ? result : withData(result, dataText);
  }
  const failure: ToolResult = {
    ok: false,
    error: cutText(
      error === undefined || error === null ? "The tool failed and did not say why." : messageOf(error),
      100_000,
    ),
    ...(typeof hint === "string" ? { hint: cutText(hint, 10_000) } : {}),
    ...(typeof snakeType === "string" ? { errorType: snakeType.slice(0, 100) } : {}),
    ...more,
  };
  const result = text === undefined ? failure : withOutput(failure, text);
  return dataText === undefined ? result : withData(result, dataText);
}

function withOutput(result: ToolResult, text: string): ToolResult {
  if (text.length <= longestText) return { ...result, output: text };
  return { ...result, output: cutText(text, longestText), outputBytes: Buffer.byteLength(text) };
}

function withData(result: ToolResult, text: string): ToolResult {
  return text.length > longestText ? result : { ...result, data: JSON.parse(text) as unknown };
}

/** Numbers that JSON does not have are written out; what contains itself throws. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each)) as
    | string
    | undefined;
  return text ?? "null";
}

function invalid(what: string): ToolResult {
  const error = `The tool returned ${what}; return a string, a JSON value or { ok, output }.`;
  return { ok: false, error, errorType: "invalid_result" };
}

export interface ToolPlace {
  /** The content, which nobody changes. */
  readonly copy: string;
  /** Where the person has the file; it may be another content by now, or gone. */
  readonly original: string;
  /** The same content without its types; null when nobody has removed them yet, or there are none. */
  readonly stripped: string | null;
}

const input = 3;
const output = 4;
// A tool may replace what it likes in its own process.
const { stringify, parse } = JSON;

/** Returns once the message is on its way: what the tool does next can't hold it back. */
export function send(message: FromHost): void {
  const bytes = Buffer.from(`${stringify(message)}\n`);
  try {
    for (let sent = 0; sent < bytes.length;) sent += writeSync(output, bytes, sent);
  } catch {
    // Nobody listens any more.
    process.kill(process.pid, "SIGKILL");
  }
}

export function listen(onMessage: (message: ToHost) => void, onEnd: () => void): void {
  const socket = new Socket({ fd: input, readable: true, writable: false });
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (piece: string) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    for (const line of lines) onMessage(parse(line) as ToHost);
  });
  socket.on("error", onEnd);
  socket.on("end", onEnd);
}
