import { toWire } from "../../core/wire.ts";
import type { ApiParts, ApiRequest, Route } from "../server/route.ts";
import { wholePage, type Page } from "./pages.ts";
import { checkQuery, readLimit } from "./read-request.ts";

/** Conversations. */
export const sessionRoutes: readonly Route[] = [
  { method: "GET", path: "/api/sessions", right: "read", handle: listSessions },
];

async function listSessions({ query }: ApiRequest, { runtime }: ApiParts): Promise<Page> {
  checkQuery(query, ["limit"]);
  const limit = readLimit(query, { standard: 20, most: 200 });
  const sessions = await (await runtime.sessions()).list(limit);
  return wholePage(sessions.map(toWire));
}
