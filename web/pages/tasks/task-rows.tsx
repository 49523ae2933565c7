import { pathTo } from "../../api/query.ts";
import type { Task } from "../../api/types.ts";
import { RovingList } from "../../components/roving-list.tsx";
import { Ago } from "../../components/time.tsx";
import { showLine } from "../../format/show-controls.ts";
import { Link } from "../../router/link.tsx";
import { TaskMark } from "./task-mark.tsx";

interface TaskRowsProps {
  readonly tasks: readonly Task[];
  readonly current: string | undefined;
  /** What the list is narrowed to stays when one of it is opened. */
  readonly search: string;
}

export function TaskRows({ tasks, current, search }: TaskRowsProps) {
  return (
    <RovingList
      label="Tasks"
      items={tasks}
      keyOf={({ id }) => id}
      render={(task, tabIndex) => (
        <Link
          href={pathTo("tasks", task.id) + (search === "" ? "" : `?${search}`)}
          class="row-link task-row"
          current={task.id === current}
          tabIndex={tabIndex}
        >
          <span class="task-row-head">
            <TaskMark task={task} />
            <span class="row-name">{task.order.agent}</span>
            <span class="grow" />
            <span class="row-side">
              <Ago at={task.created_at} />
            </span>
          </span>
          <span class="row-what">{showLine(task.order.message)}</span>
          {task.progress === null && task.error === null ? null : (
            <span class={`row-what row-side ${task.error === null ? "" : "bad"}`}>
              {showLine(task.error ?? task.progress ?? "")}
            </span>
          )}
        </Link>
      )}
    />
  );
}
