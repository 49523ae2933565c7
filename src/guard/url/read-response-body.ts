import type { IncomingMessage } from "node:http";
import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { messageOf } from "../../core/errors.ts";
import { FetchProblem } from "./fetch-problem.ts";

type Bytes = AsyncIterable<Buffer>;

/**
 * The body, decompressed. What comes over the wire and what it becomes are both counted while they stream. Ends early when the
 * connection is destroyed.
 */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(response.headers["content-length"]) > maxBytes) throw tooLarge(maxBytes);
  const codings = codingsOf(response.headers["content-encoding"] ?? "");
  let bytes: Bytes = countBytes(response, maxBytes);
  for (const coding of codings.reverse()) bytes = decompress(bytes, coding);
  const chunks: Buffer[] = [];
  for await (const chunk of countBytes(bytes, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** More layers than a server has a reason for multiply a bomb. */
const mostLayers = 2;

function codingsOf(header: string): Coding[] {
  const named = header
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim().replace(/^x-/, ""))
    .filter((coding) => coding !== "" && coding !== "identity");
  if (named.length > mostLayers) {
    throw new FetchProblem("fetch.encoding", `The body is compressed ${named.length} times over; expected once.`);
  }
  return named.map((coding) => {
    if (coding === "gzip" || coding === "br" || coding === "deflate") return coding;
    const sentence = `The body's encoding "${coding.slice(0, 40)}" was not asked for; expected gzip, deflate or br.`;
    throw new FetchProblem("fetch.encoding", sentence);
  });
}

type Coding = "gzip" | "br" | "deflate";

async function* decompress(source: Bytes, coding: Coding): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const decoder = createDecoder(coding, first.value[0]!);
  let broken: Error | undefined;
  const whole = Readable.from(prepend(first.value, { [Symbol.asyncIterator]: () => chunks }));
  whole.once("error", (error) => (broken = error));
  pipeline(whole, decoder, () => undefined);
  try {
    yield* decoder as Bytes;
  } catch (thrown) {
    // What broke before the decoder is not the decoder's fault.
    if (broken !== undefined) throw broken;
    throw new FetchProblem("fetch.encoding", `The compressed body is damaged (${messageOf(thrown)}).`, {
      cause: thrown,
    });
  }
}

/** Servers send two formats under the name "deflate"; the first byte tells them apart. */
function createDecoder(coding: Coding, firstByte: number): Transform {
  if (coding === "gzip") return createGunzip();
  if (coding === "br") return createBrotliDecompress();
  return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw();
}

async function* prepend(first: Buffer, rest: Bytes): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

async function* countBytes(source: Bytes, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

function tooLarge(maxBytes: number): FetchProblem {
  const megabytes = Math.round((maxBytes / 1024 / 1024) * 100) / 100;
  return new FetchProblem("fetch.size", `The body is larger than ${megabytes} MiB.`);
}
