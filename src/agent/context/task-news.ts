import { unwrapBridge } from "../selection/bridge-tools.ts";
import { callsOf, type CallPart } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";
import { isFinalTask } from "../../core/task.ts";
import type { Tasks } from "../../tasks/manager/task-service.ts";

/**
 * What a conversation is to be told of the background tasks that it has ordered: that they have ended, each once. Null when there is
 * nothing new. What it ordered and knows is read from the conversation itself, so it holds for one that was resumed, too.
 */
export async function findTaskNews(
  branch: readonly SessionEntry[],
  tasks: () => Promise<Pick<Tasks, "get">>,
): Promise<string | null> {
  const untold = findUntold(branch);
  if (untold.length === 0) return null;
  const desk = await tasks();
  const lines: string[] = [];
  for (const id of untold) {
    const task = await desk.get(id);
    if (task && isFinalTask(task.state))
      lines.push(`Background task ${id} (${task.order.agent}) has ended: ${task.state}.`);
  }
  return lines.length === 0 ? null : [...lines, "get_task_status gives what came of it."].join(" ");
}

const asked = new Set(["get_task_status", "wait_for_task", "cancel_task"]);
const idPattern = /task_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

function findUntold(branch: readonly SessionEntry[]): string[] {
  const calls = new Map<string, CallPart>();
  const untold = new Set<string>();
  const forget = (text: string): void => idsIn(text).forEach((id) => untold.delete(id));
  for (const entry of branch) {
    if (entry.type === "assistant") for (const call of callsOf(entry.parts)) calls.set(call.callId, unwrapBridge(call));
    if (entry.type === "remark") forget(entry.text);
    if (entry.type !== "results") continue;
    for (const { callId, text, isError } of entry.results) {
      const call = calls.get(callId);
      if (isError || !call) continue;
      if (call.tool === "use_agent") for (const id of idsIn(text)) untold.add(id);
      // Whoever was answered that it has ended need not be told.
      else if (asked.has(call.tool) && !text.includes('"status":"running"')) forget(call.inputText);
    }
  }
  return [...untold];
}

function idsIn(text: string): string[] {
  return text.match(idPattern) ?? [];
}
