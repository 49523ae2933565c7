import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { recordOf, RequestProblem, type JsonRecord } from "./protocols/served-protocol.ts";

/** The JSON object of a request, unpacked. Throws a RequestProblem when it is none. */
export async function readBody(request: IncomingMessage): Promise<JsonRecord> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  const unpack = unpackers.get(encoding);
  const packed = await buffer(request);
  if (!unpack) throw new RequestProblem(`The content encoding ${encoding} is not known; use one of ${known}.`);
  let value: unknown;
  try {
    value = JSON.parse((await unpack(packed)).toString("utf8"));
  } catch (thrown) {
    throw new RequestProblem("We could not parse the JSON body of your request.", { cause: thrown });
  }
  if (recordOf(value) !== value) throw new RequestProblem("Expected the body of the request to be a JSON object.");
  return recordOf(value);
}

const unpackers = new Map<string, (packed: Buffer) => Promise<Buffer>>([
  ["identity", (packed) => Promise.resolve(packed)],
  ["gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
  ["zstd", promisify(zstdDecompress)],
]);
const known = [...unpackers.keys()].join(", ");
