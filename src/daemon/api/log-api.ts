import { systemClock } from "../../core/clock.ts";
import { isId } from "../../core/ids.ts";
import { toWire } from "../../core/wire.ts";
import {
  entryTypes,
  type EntryPlace,
  type JournalReader,
  type VerifyReport,
} from "../../records/audit-log/log-reader.ts";
import { readAnswers } from "../../agent/evidence/read-answers.ts";
import { answersToWire, evidenceToWire, judgeEvidence } from "../../agent/evidence/evidence-view.ts";
import { formatPlace, parsePlace } from "../events/event-frame.ts";
import type { ApiParts, ApiRequest, Route } from "../server/route.ts";
import {
  badRequest,
  checkQuery,
  notFound,
  type Page,
  readCount,
  readLimit,
  readParameter,
  readWords,
  rememberBriefly,
} from "./read-request.ts";

/** The hash-chained log. */
export const logRoutes: readonly Route[] = [
  { method: "GET", path: "/api/log", right: "read", handle: searchLog },
  { method: "GET", path: "/api/log/verify", right: "read", handle: verifyLog },
  { method: "GET", path: "/api/log/evidence/:id", right: "read", handle: showEvidence },
  { method: "GET", path: "/api/statistics", right: "read", handle: showStatistics },
];

async function searchLog({ query }: ApiRequest, { journal }: ApiParts): Promise<Page> {
  checkQuery(query, ["type", "tool", "text", "call", "conversation", "limit", "before"]);
  const types = readWords(query, "type", entryTypes);
  const tool = readParameter(query, "tool");
  const text = readParameter(query, "text");
  const callId = readParameter(query, "call");
  const conversationId = readParameter(query, "conversation");
  const before = readPlace(readParameter(query, "before"));
  if (callId !== undefined && !isId("call", callId))
    throw badRequest(`call takes the whole id of a call, got "${callId}".`);
  const { entries, next } = await journal.search({
    limit: readLimit(query, { standard: 100, most: 500 }),
    ...(types === undefined ? {} : { types }),
    ...(tool === undefined ? {} : { tools: [tool] }),
    ...(text === undefined ? {} : { text }),
    ...(callId === undefined ? {} : { callId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(before === undefined ? {} : { before }),
  });
  return {
    items: entries.map(({ place, entry, isIntact }) => ({ id: formatPlace(place), intact: isIntact, entry })),
    next: next && formatPlace(next),
  };
}

function readPlace(given: string | undefined): EntryPlace | undefined {
  if (given === undefined) return undefined;
  const place = parsePlace(given);
  if (place) return place;
  throw badRequest(`before takes the id of a line, segment:offset such as 1:4096; got "${given}".`);
}

/** Reading a whole log is dear, and what it says is good for a while. */
const wholeLogMs = 10_000;
const verify = rememberBriefly(wholeLogMs, (journal: JournalReader): Promise<VerifyReport> => journal.verify());

async function verifyLog({ query }: ApiRequest, { journal }: ApiParts): Promise<unknown> {
  checkQuery(query, []);
  return toWire(await verify(journal, ""));
}

async function showEvidence({ params, query }: ApiRequest, { journal, runtime }: ApiParts): Promise<unknown> {
  checkQuery(query, []);
  const { id = "" } = params;
  // Sessions lie in the workdir, whatever the environment says.
  const answers = readAnswers(runtime.workdir, {}, id);
  if (answers.length > 0) return answersToWire(answers);
  if (id.trim().length < 4) throw badRequest(`${JSON.stringify(id)} is too short for an id: give the whole one.`);
  const found = await journal.find(id);
  if (found.kind === "none") throw notFound(`The log has nothing about ${JSON.stringify(id.slice(0, 100))}.`);
  if (found.kind === "several") {
    const shown = found.ids.slice(0, 3).join(", ");
    throw badRequest(`${JSON.stringify(id)} could be ${found.ids.length}: ${shown}, … Give more of the id.`);
  }
  const report = await verify(journal, "");
  return evidenceToWire(judgeEvidence(found, report), report);
}

const dayMs = 24 * 60 * 60 * 1000;

const statistics = rememberBriefly(wholeLogMs, (journal: JournalReader, days: string) => {
  const since = days === "" ? undefined : new Date(systemClock.now() - Number(days) * dayMs).toISOString();
  return journal.statistics(since);
});

async function showStatistics({ query }: ApiRequest, { journal }: ApiParts): Promise<unknown> {
  checkQuery(query, ["days"]);
  const days = readCount(query, "days", { standard: 0, from: 1, to: 99_999 });
  return toWire(await statistics(journal, days === 0 ? "" : String(days)));
}
