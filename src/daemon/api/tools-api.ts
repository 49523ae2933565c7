import { cleanText } from "../../guard/terminal-text/clean-text.ts";
import { systemClock } from "../../core/clock.ts";
import { isFinal } from "../../core/call.ts";
import type { Tool } from "../../core/tool.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { briefExecution, printableExecution, toolToWire } from "../../runtime/views/call-view.ts";
import { readRecentCalls } from "../../records/recent-calls.ts";
import { listVersions } from "../../tool-files/versions/tool-versions.ts";
import { ApiAnswer, type ApiParts, type ApiRequest, type Route } from "../server/route.ts";
import {
  badRequest,
  checkQuery,
  notFound,
  optionalNumber,
  optionalText,
  type Page,
  readBody,
  rememberBriefly,
  waitAtMost,
  wholePage,
} from "./read-request.ts";

/** What there is, and trying it. */
export const toolRoutes: readonly Route[] = [
  { method: "GET", path: "/api/tools", right: "read", handle: listTools },
  { method: "GET", path: "/api/tools/:name", right: "read", handle: showTool },
  { method: "POST", path: "/api/tools/:name/call", right: "run", handle: callTool },
];

/** A server that does not answer must not keep the others from being shown. */
const preparePatienceMs = 2000;
const callPatienceMs = 20_000;
const shownCalls = 20;
const longestConversation = 200;
/** The page of a tool that nobody calls must not cost a walk through all that ever ran. */
const lookedThrough = 10_000;

/** Hundreds of records are read for it, and nobody sees that it is a second old. */
const readRecent = rememberBriefly(1000, (runtime: Runtime) => readRecentCalls(runtime, systemClock.now()));

async function listTools({ query }: ApiRequest, { runtime }: ApiParts): Promise<Page> {
  checkQuery(query, []);
  await prepare(runtime);
  const recent = await readRecent(runtime, "");
  return wholePage(runtime.tools.list().map((tool) => ({ ...toolToWire(runtime, tool), ...recent(tool.name) })));
}

async function showTool({ params, query }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  checkQuery(query, []);
  await prepare(runtime);
  const tool = findTool(params, runtime);
  const recent = await readRecent(runtime, "");
  const calls = await runtime.list({ toolId: tool.name, limit: shownCalls, mostRows: lookedThrough });
  return {
    ...toolToWire(runtime, tool),
    ...recent(tool.name),
    versions: await listVersions(runtime, tool),
    calls: calls.map(briefExecution),
  };
}

/**
 * Runs it now. Whoever may also approve gives an order, as on the command line; a program that may only run is asked about as
 * an agent would be. What is dangerous waits in the inbox either way.
 */
async function callTool(request: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  const { params, body, rights } = request;
  const given = readBody(body, ["input", "conversation", "wait_ms"]);
  const conversationId = readConversation(given, request);
  const waitMs = optionalNumber(given, "wait_ms", { from: 0, to: callPatienceMs }) ?? callPatienceMs;
  if (!runtime.tools.resolve(params["name"] ?? "")) await prepare(runtime);
  const { name } = findTool(params, runtime);
  const call = runtime.call(name, given["input"] ?? {}, {
    door: rights.has("approve") ? "dashboard" : "daemon",
    ...(conversationId === undefined ? {} : { conversationId }),
  });
  await waitAtMost(call, waitMs);
  // Not what the call resolves to: that has what a record must not have.
  const execution = (await runtime.get(call.id)) ?? runtime.maskValue(await call);
  const document = printableExecution(execution);
  return isFinal(execution.state) ? document : new ApiAnswer(202, document);
}

/**
 * What a person allows in a conversation is for whoever is in it: the conversations of a program that may only run bear its
 * name, so that it can't name a session, a job or the conversation of another program.
 */
function readConversation(given: Readonly<Record<string, unknown>>, { rights, who }: ApiRequest): string | undefined {
  const named = optionalText(given, "conversation");
  if (named === undefined) return undefined;
  // A person reads it beside others: nothing in it may hide, or turn the text around it.
  const conversation = cleanText(named);
  const { length } = conversation;
  if (length > longestConversation) {
    throw badRequest(`conversation has at most ${longestConversation} characters, this one has ${length}.`);
  }
  return rights.has("approve") ? conversation : `${who}:${conversation}`;
}

async function prepare(runtime: Runtime): Promise<void> {
  await waitAtMost(runtime.prepareTools(), preparePatienceMs);
}

function findTool({ name = "" }: ApiRequest["params"], { tools }: Runtime): Tool {
  const tool = tools.resolve(name);
  if (tool) return tool;
  const meant = tools.suggest(name).join(" or ");
  const hint = meant === "" ? "" : ` Did you mean ${meant}?`;
  throw notFound(`There is no tool named ${JSON.stringify(name.slice(0, 100))}.${hint}`);
}
