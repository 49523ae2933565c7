import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { Tool, ToolResult } from "../../core/tool.ts";
import { describeProblem, type WorkshopStatus } from "../tool-file-status.ts";
import type { ManagementParts } from "./management-tools.ts";

const traits = { readOnly: true, risk: "low", category: "tools" } as const;

/** What there is, what changed, and how the files stand. */
export function createStatusTools({ workshop, hosts }: ManagementParts): Tool[] {
  return [
    defineTool({
      name: "list_custom_tools",
      description: "List the tool files, their tools, and what is wrong with the others.",
      traits,
      input: z.object({}),
      resources: () => [],
      async run() {
        await workshop.refresh();
        return asJson(listTools(workshop.status()));
      },
    }),
    defineTool({
      name: "reload_custom_tools",
      description: "Look for changed tool files now; every call does so, too.",
      traits,
      input: z.object({}),
      resources: () => [],
      async run() {
        const changes = await workshop.reload();
        return asJson({ ...changes, ...listTools(workshop.status()) });
      },
    }),
    defineTool({
      name: "tool_registry_status",
      description: "Show state and version of each tool file.",
      traits,
      input: z.object({}),
      resources: () => [],
      async run() {
        await workshop.refresh();
        const { folder, files, total } = workshop.status();
        return asJson({
          folder,
          total,
          files: files.map(({ file, state, tool, version, isCurrent, release, problem }) => ({
            file,
            state,
            tool,
            version,
            is_current: isCurrent,
            release,
            problem,
          })),
          processes: (hosts()?.list() ?? []).map(({ file, hash, pid, calls, startedAt, isRetired }) => ({
            file,
            hash,
            pid,
            calls,
            started_at: new Date(startedAt).toISOString(),
            is_retired: isRetired,
          })),
        });
      },
    }),
  ];
}

function listTools({ files, total }: WorkshopStatus): Record<string, unknown> {
  const left = total - files.length;
  const tooMany = left > 0 ? [{ file: null, error: `${left} more files are not looked at: there are too many.` }] : [];
  return {
    files: files.map(({ file }) => file),
    loaded: files.flatMap(({ tool }) => tool ?? []),
    errors: [
      ...files.flatMap((status) => {
        const error = describeProblem(status);
        return error === null ? [] : [{ file: status.file, error }];
      }),
      ...tooMany,
    ],
  };
}

export function asJson(data: unknown): ToolResult {
  return { ok: true, output: JSON.stringify(data, null, 2), data };
}
