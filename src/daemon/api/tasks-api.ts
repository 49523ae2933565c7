import { createHash } from "node:crypto";
import { cutMiddle } from "../../core/text.ts";
import { isId } from "../../core/ids.ts";
import { answerCharacters, orderOfUseAgent } from "../../core/task-answers.ts";
import { isFinalTask, taskStates, type Task } from "../../core/task.ts";
import type { Tasks } from "../../tasks/manager/task-service.ts";
import { agentToWire, printableTask } from "../../runtime/views/call-view.ts";
import { ApiAnswer, type ApiParts, type ApiRequest, type Route } from "../server/route.ts";
import {
  badRequest,
  checkQuery,
  isText,
  notFound,
  optionalFlag,
  optionalList,
  optionalNumber,
  optionalText,
  type Page,
  pageOf,
  readBody,
  readCount,
  readLimit,
  readParameter,
  readWords,
  requiredText,
  waitAtMost,
  wholePage,
} from "./read-request.ts";

/** Background agents. */
export const taskRoutes: readonly Route[] = [
  { method: "GET", path: "/api/tasks", right: "read", handle: listTasks },
  { method: "GET", path: "/api/tasks/:id", right: "read", handle: showTask },
  { method: "GET", path: "/api/tasks/:id/output", right: "read", handle: showOutput },
  { method: "POST", path: "/api/tasks", right: "run", handle: startTask },
  { method: "POST", path: "/api/tasks/:id/cancel", right: "run", handle: cancelTask },
  { method: "POST", path: "/api/tasks/:id/resume", right: "run", handle: resumeTask },
  { method: "GET", path: "/api/agents", right: "read", handle: listAgents },
];

/** A browser does not wait for ever; the task is stopped all the same. */
const cancelPatienceMs = 20_000;
const longestTimeoutSeconds = 24 * 60 * 60;

async function listTasks({ query }: ApiRequest, { runtime }: ApiParts): Promise<Page> {
  checkQuery(query, ["state", "agent", "limit", "before"]);
  const states = readWords(query, "state", taskStates);
  const agent = readParameter(query, "agent");
  const beforeId = readParameter(query, "before");
  const limit = readLimit(query, { standard: 50, most: 200 });
  if (beforeId !== undefined && !isId("task", beforeId)) {
    throw badRequest(`before takes the id of a task, as "next" of the page before gives it; got "${beforeId}".`);
  }
  const found = await (
    await runtime.tasks()
  ).list({
    limit,
    ...(states === undefined ? {} : { states }),
    ...(agent === undefined ? {} : { agent }),
    ...(beforeId === undefined ? {} : { beforeId }),
  });
  return pageOf(found, limit, (task) => printableTask(runtime, task));
}

async function showTask({ params, query }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  checkQuery(query, []);
  return printableTask(runtime, await findTask(params, await runtime.tasks()));
}

async function startTask({ body, rights }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  const given = readBody(body, startKeys);
  const order = orderOfUseAgent(
    {
      cli_name: requiredText(given, "agent"),
      message: requiredText(given, "message"),
      system_prompt: optionalText(given, "system_prompt"),
      model: optionalText(given, "model"),
      args: optionalList(given, "args", { isItem: isText, items: "texts" }),
      resume: optionalText(given, "resume"),
      cwd: optionalText(given, "cwd"),
      timeout: optionalNumber(given, "timeout", { from: 1, to: longestTimeoutSeconds }),
      idempotency_key: optionalText(given, "idempotency_key"),
      idempotent: optionalFlag(given, "idempotent"),
    },
    "daemon",
  );
  // Whoever may approve is a person, and this is their order.
  const request = rights.has("approve") ? { ...order, mayLeaveWorkspace: true } : order;
  return printableTask(runtime, await (await runtime.tasks()).start(request));
}

const startKeys = "agent message system_prompt model args resume cwd timeout idempotency_key idempotent".split(" ");

async function resumeTask({ params, body }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  const message = requiredText(readBody(body, ["message"]), "message");
  const tasks = await runtime.tasks();
  const { id } = await findTask(params, tasks);
  return printableTask(runtime, await tasks.resume(id, message, "daemon"));
}

async function cancelTask({ params, body, who }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  const reason = optionalText(readBody(body, ["reason"]), "reason");
  const tasks = await runtime.tasks();
  const before = await findTask(params, tasks);
  const { id } = before;
  if (isFinalTask(before.state)) return { id, cancelled: false, task: printableTask(runtime, before) };
  const why = reason === undefined ? `by ${who}` : `by ${who}: ${reason}`;
  const ended = await waitAtMost(tasks.cancel(id, why), cancelPatienceMs);
  const task = ended ?? (await findTask(params, tasks));
  const document = { id, cancelled: task.state === "cancelled", task: printableTask(runtime, task) };
  return isFinalTask(task.state) ? document : new ApiAnswer(202, document);
}

async function showOutput({ params, query }: ApiRequest, { runtime }: ApiParts): Promise<unknown> {
  checkQuery(query, ["from", "answer_tag"]);
  const known = readParameter(query, "answer_tag");
  const from = readCount(query, "from", { standard: 0, from: 0, to: Number.MAX_SAFE_INTEGER });
  const tasks = await runtime.tasks();
  // Asked first: what is final now has no more to say than what is read then.
  const task = await findTask(params, tasks);
  const isOver = isFinalTask(task.state);
  const part = await readWholeLines(tasks, task, from);
  const answer = cutMiddle(part.answer, answerCharacters);
  const tag = createHash("sha256").update(answer).digest("base64url").slice(0, 16);
  return {
    text: part.text,
    from: part.from,
    to: part.next,
    total_bytes: part.totalBytes,
    done: isOver && part.next >= part.totalBytes,
    // Whoever polls has most answers already.
    ...(tag === known ? {} : { answer }),
    answer_tag: tag,
    error_text: part.errorText,
  };
}

type Part = Awaited<ReturnType<Tasks["output"]>>;

/** Until it has ended the last line may lack its end, and half a secret would not be known for one. */
async function readWholeLines(tasks: Tasks, { id, state }: Task, from: number): Promise<Part> {
  const part = await tasks.output(id, { from, answerCharacters });
  const isAtEnd = part.next >= part.totalBytes;
  if (isFinalTask(state) || !isAtEnd || part.text === "" || part.text.endsWith("\n")) return part;
  const length = part.next - part.from;
  // One byte less, and it is not the end any more: then only whole lines are given.
  const range = { from: part.from, limit: length - 1, wantsAnswer: false };
  const whole = length > 1 ? await tasks.output(id, range) : part;
  return whole.text.endsWith("\n") ? { ...whole, answer: part.answer } : { ...part, text: "", next: part.from };
}

async function listAgents({ query }: ApiRequest, { runtime }: ApiParts): Promise<Page> {
  checkQuery(query, []);
  return wholePage((await (await runtime.tasks()).agents()).map(agentToWire));
}

async function findTask({ id = "" }: ApiRequest["params"], tasks: Tasks): Promise<Task> {
  const task = await tasks.get(id);
  if (task) return task;
  throw notFound(`There is no task ${JSON.stringify(id.slice(0, 100))} here, or it has expired.`);
}
