import type { InboxEntry, InboxState } from "../../core/approval.ts";
import { isId } from "../../core/ids.ts";
import { toWire } from "../../core/wire.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { ApiError, type ApiParts, type ApiRequest, type Route } from "../server/route.ts";
import {
  badRequest,
  type Body,
  checkQuery,
  isText,
  notFound,
  optionalChoice,
  optionalList,
  optionalText,
  type Page,
  pageOf,
  readBody,
  readLimit,
  readParameter,
  readWords,
} from "./read-request.ts";

/** Questions and approvals that wait for a person. */
export const inboxRoutes: readonly Route[] = [
  { method: "GET", path: "/api/inbox", right: "read", handle: listInbox },
  { method: "GET", path: "/api/inbox/:id", right: "read", handle: showEntry },
  { method: "POST", path: "/api/inbox/:id/answer", right: "approve", handle: answerQuestion },
  { method: "POST", path: "/api/inbox/:id/approve", right: "approve", handle: approveCall },
  { method: "POST", path: "/api/inbox/:id/deny", right: "approve", handle: denyCall },
];

const states = ["waiting", "answered", "approved", "denied", "withdrawn", "abandoned", "all"] as const;

async function listInbox({ query }: ApiRequest, { runtime: { inbox } }: ApiParts): Promise<Page> {
  checkQuery(query, ["state", "limit", "before"]);
  const wanted = readWords(query, "state", states) ?? ["waiting"];
  const limit = readLimit(query, { standard: 100, most: 1000 });
  const named = wanted.includes("all") ? undefined : wanted.filter((state): state is InboxState => state !== "all");
  const beforeId = readParameter(query, "before");
  if (beforeId !== undefined && !isId("ask", beforeId)) {
    throw badRequest(`before takes the id of an entry, as "next" of the page before gives it; got "${beforeId}".`);
  }
  const entries = await inbox.list({
    limit,
    ...(named === undefined ? {} : { states: named }),
    ...(beforeId === undefined ? {} : { beforeId }),
  });
  const { items, next } = pageOf(entries, limit, (entry) => entry);
  // Some of them may just have been found abandoned; the way to the next page is the same.
  return { items: items.filter(({ state }) => named?.includes(state) ?? true).map(toWire), next };
}

async function showEntry({ params, query }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  checkQuery(query, []);
  return toWire(await findEntry(params, runtime));
}

async function answerQuestion(request: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  const entry = await findEntry(request.params, runtime);
  const given = readAnswer(request.body, entry);
  return settle(runtime, entry, () => runtime.inbox.answer(entry.id, given, request.who));
}

async function approveCall({ params, body, who }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  const scope = optionalChoice(readBody(body, ["scope"]), "scope", ["once", "conversation", "always"]) ?? "once";
  const entry = await findEntry(params, runtime);
  return settle(runtime, entry, () => runtime.inbox.decide(entry.id, { allow: true, scope }, who));
}

async function denyCall({ params, body, who }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  const reason = optionalText(readBody(body, ["reason"]), "reason");
  const entry = await findEntry(params, runtime);
  const decision = { allow: false, ...(reason === undefined ? {} : { reason }) };
  return settle(runtime, entry, () => runtime.inbox.decide(entry.id, decision, who));
}

/** `{text}` or `{selected}`, as an answer has them, or `{options}`: their numbers, from 1 on. Also as `{answer: …}`. */
function readAnswer(body: unknown, { question }: InboxEntry): Parameters<Runtime["inbox"]["answer"]>[1] {
  const outer = readBody(body, ["answer", ...answerKeys]);
  const inner = outer["answer"];
  const given: Body = isText(inner) ? { text: inner } : inner === undefined ? outer : readBody(inner, answerKeys);
  if (given["answered"] === false) throw badRequest("An answer says something; to leave it open, do not answer.");
  const text = optionalText(given, "text");
  const selected = optionalList(given, "selected", { isItem: isText, items: "texts" });
  const numbers = optionalList(given, "options", { isItem: isNumber, items: "numbers" });
  const options = numbers ?? selected?.map((option) => numberOf(option, question?.options ?? []));
  return { isVerbatim: true, ...(text === undefined ? {} : { text }), ...(options === undefined ? {} : { options }) };
}

const answerKeys = ["answered", "text", "selected", "options"];

function numberOf(option: string, options: readonly string[]): number {
  const index = options.indexOf(option);
  if (index >= 0) return index + 1;
  throw badRequest(`${JSON.stringify(option.slice(0, 80))} is not one of the options of this question.`);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

type Settled = Awaited<ReturnType<Runtime["inbox"]["answer"]>>;

/** Whoever is first wins; the others are told who that was. */
async function settle({ inbox }: Runtime, { id }: InboxEntry, act: () => Promise<Settled>): Promise<unknown> {
  const settled = await act();
  if (settled.ok) return toWire(settled.entry);
  const isOver = (await inbox.get(id))?.state !== "waiting";
  throw new ApiError(isOver ? "CONFLICT" : "BAD_REQUEST", settled.problem);
}

async function findEntry({ id = "" }: ApiRequest["params"], { inbox }: Runtime): Promise<InboxEntry> {
  const entry = await inbox.get(id);
  if (entry) return entry;
  throw notFound(`There is nothing with the id ${JSON.stringify(id.slice(0, 100))} in the inbox.`);
}
