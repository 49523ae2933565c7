import { messageOf, RuntimeError } from "../../core/errors.ts";
import { isId } from "../../core/ids.ts";
import type { Job } from "../../core/job.ts";
import { toWire } from "../../core/wire.ts";
import { findWithRemoved } from "../../schedule/jobs/find-with-removed.ts";
import { warnOfJob } from "../../schedule/jobs/warn-of-job.ts";
import type { Schedule, WrittenTimes } from "../../schedule/schedule-service.ts";
import { printableJob, printableJobPage, printableJobView, printableRun } from "../../schedule/jobs/job-view.ts";
import type { ApiParts, ApiRequest, Right, Route } from "../server/route.ts";
import {
  badRequest,
  type Body,
  checkQuery,
  optionalText,
  type Page,
  pageOf,
  readBody,
  readLimit,
  readParameter,
  requiredText,
  wholePage,
} from "./read-request.ts";

/** What runs when. */
export const jobRoutes: readonly Route[] = [
  { method: "GET", path: "/api/jobs", right: "read", handle: listJobs },
  { method: "GET", path: "/api/jobs/:name", right: "read", handle: showJob },
  { method: "GET", path: "/api/jobs/:name/history", right: "read", handle: listRuns },
  { method: "POST", path: "/api/jobs", right: "approve", handle: addJob },
  orderRoute("pause", "run", async (schedule, job, order) => void (await schedule.pause(job.id, order))),
  orderRoute("resume", "approve", async (schedule, job, order) => void (await schedule.resume(job.id, order))),
  { method: "POST", path: "/api/jobs/:name/run", right: "run", handle: runJob },
  { method: "POST", path: "/api/jobs/:name/remove", right: "approve", handle: removeJob },
  { method: "POST", path: "/api/schedule/preview", right: "read", handle: previewTimes },
];

const nextTimes = 10;
const shownRuns = 50;

async function listJobs({ query }: ApiRequest, { runtime }: ApiParts): Promise<Page> {
  checkQuery(query, []);
  return wholePage((await (await runtime.schedule()).list()).map((view) => printableJobView(runtime, view)));
}

async function showJob({ params, query }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  checkQuery(query, []);
  const schedule = await runtime.schedule();
  const job = await schedule.find(params["name"] ?? "");
  const runs = await schedule.runs({ jobId: job.id, limit: shownRuns });
  return printableJobPage(runtime, { job, next: await schedule.next(job, nextTimes), runs });
}

async function listRuns({ params, query }: ApiRequest, { runtime }: ApiParts): Promise<Page> {
  checkQuery(query, ["limit", "before"]);
  const limit = readLimit(query, { standard: 50, most: 500 });
  const cursor = readParameter(query, "before");
  const schedule = await runtime.schedule();
  const job = await findWithRemoved(schedule, params["name"] ?? "");
  const before = cursor === undefined ? undefined : await findRun(schedule, job, cursor);
  const runs = await schedule.runs({ jobId: job.id, limit, ...(before === undefined ? {} : { before }) });
  return pageOf(runs, limit, (run) => printableRun(runtime, run));
}

async function findRun(schedule: Schedule, job: Pick<Job, "id">, id: string) {
  const run = isId("run", id) ? await schedule.getRun(id) : undefined;
  if (run?.jobId === job.id) return run;
  throw badRequest(`before takes the id of a run of this job, as "next" of the page before gives it; got "${id}".`);
}

async function addJob({ body, who }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  const job = await (await runtime.schedule()).add(body, { by: who });
  // It is kept whatever else fails: who is told of a failure would add it again.
  const warnings = await warnOfJob(runtime, job).catch((thrown: unknown) => [runtime.maskText(messageOf(thrown))]);
  return { ...printableJob(runtime, job), warnings };
}

async function runJob({ params, body, who }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  readBody(body, []);
  const schedule = await runtime.schedule();
  const { id } = await schedule.find(params["name"] ?? "");
  return printableRun(runtime, await schedule.runNow(id, { by: who }));
}

async function removeJob({ params, body, who }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  const order = { by: who, ...reasonOf(body) };
  const schedule = await runtime.schedule();
  const { id } = await schedule.find(params["name"] ?? "");
  return printableJob(runtime, await schedule.remove(id, order));
}

type GiveOrder = (
  schedule: Schedule,
  job: Job,
  order: { readonly by: string; readonly reason?: string },
) => Promise<void>;

/** Its answer is the job as it is then; giving it twice changes nothing. */
function orderRoute(name: "pause" | "resume", right: Right, give: GiveOrder): Route {
  return {
    method: "POST",
    path: `/api/jobs/:name/${name}`,
    right,
    async handle({ params, body, who }, { runtime }) {
      const order = { by: who, ...reasonOf(body) };
      const schedule = await runtime.schedule();
      const job = await schedule.find(params["name"] ?? "");
      await give(schedule, job, order);
      return printableJob(runtime, await schedule.find(job.id));
    },
  };
}

function reasonOf(body: unknown): { readonly reason?: string } {
  const reason = optionalText(readBody(body, ["reason"]), "reason")?.trim();
  return reason === undefined || reason === "" ? {} : { reason };
}

async function previewTimes({ body }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  const given = readBody(body, ["when", "cron", "every", "at", "time_zone"]);
  const schedule = await runtime.schedule();
  const zone = optionalText(given, "time_zone");
  const written = { ...readWhen(given), ...(zone === undefined || zone === "" ? {} : { time_zone: zone }) };
  return { next: toWire(await schedule.preview(written, nextTimes)), time_zone: zone || schedule.timeZone };
}

/** As a job has it: one of cron, every and at. Or `when`: the same within it, or one text, whichever of them that looks like. */
function readWhen({ when, ...body }: Body): WrittenTimes {
  if (typeof when === "string") return guessWhen(requiredText({ when }, "when").trim());
  const given = when === undefined || when === null ? body : readBody(when, ["cron", "every", "at"]);
  const [cron, every, at] = ["cron", "every", "at"].map((key) => optionalText(given, key));
  return { ...(cron && { cron }), ...(every && { every }), ...(at && { at }) };
}

function guessWhen(text: string): WrittenTimes {
  if (/^\d[\d.]*\s*[a-z]/i.test(text)) return { every: text };
  if (/^\d{4}-\d/.test(text)) return { at: text };
  // A cron has fields, or begins with @; of a word alone nobody can tell what it is.
  if (/\s|^[@*]/.test(text)) return { cron: text };
  throw new RuntimeError(
    "JOB_INVALID",
    `"${text}" is no time: expected a cron ("0 9 * * 1-5"), an interval ("15m") or a date and time ("2026-11-20T09:00").`,
  );
}
