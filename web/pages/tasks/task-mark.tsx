import type { Task } from "../../api/types.ts";
import { StateMark } from "../../components/state-mark.tsx";

/** A task that somebody wants cancelled says so until it is. */
export function TaskMark({ task }: { readonly task: Task }) {
  return <StateMark state={isOver(task) || task.cancel_reason === null ? task.state : "stopping"} />;
}

export function isOver({ state }: Task): boolean {
  return state !== "queued" && state !== "running";
}
