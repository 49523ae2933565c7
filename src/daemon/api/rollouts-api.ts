import { systemClock } from "../../core/clock.ts";
import { toWire } from "../../core/wire.ts";
import { readSeries } from "../../tool-files/rollout/service/rollout-series.ts";
import type { Rollouts, RolloutView } from "../../tool-files/rollout/service/rollouts.ts";
import { explanationToWire, viewToWire } from "../../tool-files/rollout/service/rollout-documents.ts";
import type { ApiParts, ApiRequest, Route } from "../server/route.ts";
import { type Body, checkQuery, optionalChoice, optionalText, type Page, readBody, wholePage } from "./read-request.ts";

/** New versions of tools. */
export const rolloutRoutes: readonly Route[] = [
  { method: "GET", path: "/api/rollouts", right: "read", handle: listRollouts },
  { method: "GET", path: "/api/rollouts/:tool", right: "read", handle: showRollout },
  orderRoute("promote", ["to", "reason"], (rollouts, tool, body) =>
    rollouts.promote(tool, { to: optionalChoice(body, "to", ["next", "all"]) ?? "next", ...reasonOf(body) }),
  ),
  orderRoute("hold", ["reason"], (rollouts, tool, body) =>
    rollouts.hold(tool, reasonOf(body).reason ?? "no reason given"),
  ),
  orderRoute("resume", ["reason"], (rollouts, tool, body) => rollouts.resume(tool, reasonOf(body).reason)),
  orderRoute("rollback", ["kind", "reason", "to"], (rollouts, tool, body) => {
    const to = optionalText(body, "to");
    const kind = optionalChoice(body, "kind", ["soft", "hard"]) ?? "soft";
    return rollouts.rollback(tool, { kind, ...reasonOf(body), ...(to === undefined ? {} : { to }) });
  }),
];

const historyLength = 50;

/** `mode`: also where there is no tool file yet, and so no item that says it. */
async function listRollouts(
  { query }: ApiRequest,
  { runtime }: ApiParts,
): Promise<Page & { readonly mode: Rollouts["mode"] }> {
  checkQuery(query, []);
  const rollouts = await runtime.rollouts();
  return { ...wholePage((await rollouts.list()).map(viewToWire)), mode: rollouts.mode };
}

async function showRollout({ params, query }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  checkQuery(query, []);
  const rollouts = await runtime.rollouts();
  const explanation = await rollouts.explain(params["tool"] ?? "");
  const { tool } = explanation.view;
  const history = await rollouts.history({ tool, limit: historyLength });
  return {
    ...explanationToWire(explanation),
    history: history.map(toWire),
    series: toWire(await readSeries(runtime, explanation, systemClock.now())),
    diff: await rollouts.diff(tool),
  };
}

type GiveOrder = (rollouts: Rollouts, tool: string, body: Body) => Promise<RolloutView>;

function orderRoute(name: string, keys: readonly string[], give: GiveOrder): Route {
  return {
    method: "POST",
    path: `/api/rollouts/:tool/${name}`,
    right: "approve",
    async handle({ params, body, who }, { runtime }) {
      const given = readBody(body, keys);
      const rollouts = (await runtime.rollouts()).inNameOf(who);
      return viewToWire(await give(rollouts, params["tool"] ?? "", given));
    },
  };
}

function reasonOf(body: Body): { readonly reason?: string } {
  const reason = optionalText(body, "reason")?.trim();
  return reason === undefined || reason === "" ? {} : { reason };
}
