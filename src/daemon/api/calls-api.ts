import { executionStates, type Execution } from "../../core/call.ts";
import { isId } from "../../core/ids.ts";
import { toWire } from "../../core/wire.ts";
import { readCallOutput } from "../../records/read-call-output.ts";
import { briefExecution, printableExecution } from "../../runtime/views/call-view.ts";
import type { ApiParts, ApiRequest, Route } from "../server/route.ts";
import {
  badRequest,
  checkQuery,
  notFound,
  optionalText,
  type Page,
  pageOf,
  readBody,
  readLimit,
  readParameter,
  readWords,
} from "./read-request.ts";

/** Tool calls: what ran, what runs, and how to stop it. */
export const callRoutes: readonly Route[] = [
  { method: "GET", path: "/api/calls", right: "read", handle: listCalls },
  { method: "GET", path: "/api/calls/:id", right: "read", handle: showCall },
  { method: "GET", path: "/api/calls/:id/output", right: "read", handle: showOutput },
  { method: "POST", path: "/api/calls/:id/cancel", right: "run", handle: cancelCall },
];

/** How many rows one request for a tool's calls looks through: an index by tool would cost every call a tenth more. */
const lookedThrough = 20_000;

async function listCalls({ query }: ApiRequest, { runtime }: ApiParts): Promise<Page> {
  checkQuery(query, ["state", "tool", "conversation", "limit", "before"]);
  const states = readWords(query, "state", executionStates);
  const tool = readParameter(query, "tool");
  const conversationId = readParameter(query, "conversation");
  const beforeId = readParameter(query, "before");
  const limit = readLimit(query, { standard: 50, most: 200 });
  if (beforeId !== undefined && !isId("call", beforeId)) {
    throw badRequest(`before takes the id of a call, as "next" of the page before gives it; got "${beforeId}".`);
  }
  const asked = {
    limit,
    ...(states === undefined ? {} : { states }),
    ...(tool === undefined ? {} : { toolId: runtime.tools.canonicalName(tool) ?? tool }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(beforeId === undefined ? {} : { beforeId }),
  };
  if (tool === undefined || conversationId !== undefined) {
    return pageOf(await runtime.list(asked), limit, briefExecution);
  }
  const { calls, next } = await runtime.listPart({ ...asked, mostRows: lookedThrough });
  return { items: calls.map(briefExecution), next };
}

async function showCall({ params, query }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  checkQuery(query, []);
  return printableExecution(await findCall(params, runtime));
}

async function showOutput({ params, query }: ApiRequest, { runtime, outputs }: ApiParts): Promise<unknown> {
  checkQuery(query, []);
  return toWire(await readCallOutput(runtime, outputs, await findCall(params, runtime)));
}

async function cancelCall({ params, body, who }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  const reason = optionalText(readBody(body, ["reason"]), "reason");
  const { id } = await findCall(params, runtime);
  const cancelled = await runtime.cancel(id, `Cancelled by ${who}${reason === undefined ? "" : `: ${reason}`}`);
  return { cancelled };
}

async function findCall({ id = "" }: ApiRequest["params"], runtime: ApiParts["runtime"]): Promise<Execution> {
  const execution = await runtime.get(id);
  if (execution) return execution;
  throw notFound(`There is no call ${JSON.stringify(id.slice(0, 100))} here; it may have been cleaned up.`);
}
