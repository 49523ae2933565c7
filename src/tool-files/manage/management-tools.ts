import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { Tool, ToolResult } from "../../core/tool.ts";
import { openPathGuard } from "../../guard/path/open-path-guard.ts";
import type { ToolHosts } from "../host/tool-host.ts";
import type { Workshop } from "../open-tool-files.ts";
import { isToolFileName } from "../scan/scan-folder.ts";
import { describeProblem, type WorkshopStatus } from "../tool-file-status.ts";

interface ManagementParts {
  readonly workshop: Workshop;
  /** Relative to the workdir. */
  readonly shown: string;
  /** Those that run; null when none was ever needed. */
  readonly hosts: () => ToolHosts | null;
  /** The tool that writes any file: it knows how to do that safely, how to show it first, and how to take it back. */
  readonly writeFile: Tool;
}

export const managementNames: ReadonlySet<string> = new Set([
  "list_custom_tools",
  "reload_custom_tools",
  "tool_registry_status",
  "create_or_update_custom_tool_file",
  "delete_custom_tool_file",
]);

/** The tools that manage tools. */
export function createManagementTools(parts: ManagementParts): Tool[] {
  return [...createStatusTools(parts), createWriteTool(parts), createDeleteTool(parts)];
}

function createWriteTool({ workshop, shown, writeFile }: ManagementParts): Tool {
  const toWrite = ({ file_name, content }: { file_name: string; content: string }): unknown => ({
    file_path: `${shown}/${file_name}`,
    content,
  });
  return defineTool({
    name: "create_or_update_custom_tool_file",
    description:
      "Write a tool file that exports TOOL_SPEC {name, description, input_schema} and run(input, context). Once approved, call_tool runs it.",
    traits: { risk: "medium", category: "tools", idempotent: true, replay: "check" },
    timeoutMs: 60_000,
    input: z.object({
      file_name: z.string().describe("Such as word_count.ts (or .js, .py)"),
      content: z.string().describe("The whole file"),
    }),
    resources: ({ file_name }) => [{ kind: "path", path: `${shown}/${file_name}`, access: "write" }],
    async preview(input, context) {
      const problem = fileNameProblem(input.file_name);
      return problem ? { text: problem.error } : writeFile.preview?.(toWrite(input), context);
    },
    async run(input, context): Promise<ToolResult> {
      const problem = fileNameProblem(input.file_name);
      if (problem) return problem;
      const written = await writeFile.run(toWrite(input), context);
      if (!written.ok) return written;
      const file = `${shown}/${input.file_name}`;
      const files = written.files === undefined ? {} : { files: written.files };
      await workshop.refresh();
      const status = workshop.status().files.find((each) => each.file === file);
      const { state = "broken", tool = null, version = null } = status ?? {};
      return { ...asJson({ file, state, tool, version, note: status ? describeProblem(status) : null }), ...files };
    },
  });
}

function createDeleteTool({ workshop, shown }: ManagementParts): Tool {
  return defineTool({
    name: "delete_custom_tool_file",
    description: "Remove a tool file. Its contents stay in .deckhand/versions.",
    traits: { risk: "medium", category: "tools", replay: "check" },
    timeoutMs: 10_000,
    input: z.object({ file_name: z.string().describe("Such as word_count.ts") }),
    resources: ({ file_name }) => [{ kind: "path", path: `${shown}/${file_name}`, access: "write" }],
    preview: ({ file_name }) => {
      const status = workshop.status().files.find(({ file }) => file === `${shown}/${file_name}`);
      const what = status?.tool ? `, which is the tool ${status.tool}` : "";
      return Promise.resolve({ text: `Remove ${shown}/${file_name}${what}.` });
    },
    async run({ file_name }, context): Promise<ToolResult> {
      const problem = fileNameProblem(file_name);
      if (problem) return problem;
      const file = `${shown}/${file_name}`;
      const before = workshop.status().files.find((each) => each.file === file);
      const failed = remove(file, context.workdir, context.recheck);
      if (failed) return failed;
      await workshop.refresh();
      return asJson({ file, removed: true, tool: before?.tool ?? null, version: before?.version ?? null });
    },
  });
}

type Failure = Extract<ToolResult, { ok: false }>;

function remove(
  file: string,
  workdir: string,
  recheck: ((given: string, leadsTo: string) => string | undefined) | undefined,
): Failure | undefined {
  try {
    const guard = openPathGuard({ root: workdir });
    try {
      const place = guard.find(file);
      if (!place.ok) return { ok: false, error: place.problem, errorType: "access" };
      const objection = recheck?.(file, place.path);
      if (objection !== undefined) return { ok: false, error: objection, hint: "Send it again.", errorType: "denied" };
      guard.remove(file);
      return undefined;
    } finally {
      guard.close();
    }
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === undefined) throw thrown;
    if (code !== "ENOENT")
      return { ok: false, error: `${file} could not be removed: ${messageOf(thrown)}.`, errorType: "io" };
    return { ok: false, error: `${file} does not exist.`, hint: "See list_custom_tools.", errorType: "not_found" };
  }
}

/** One plain name: whatever could lead to another folder, or would not be taken for a tool, is refused. */
function fileNameProblem(name: string): Extract<ToolResult, { ok: false }> | undefined {
  if (isToolFileName(name) && name.length <= 100) return undefined;
  return {
    ok: false,
    error: `"${name.slice(0, 100)}" can't be the name of a tool file.`,
    hint: "Use letters, digits, _ and -, and one of .ts, .mts, .js, .mjs, .py at the end, as in word_count.ts; no folders, and no test.",
    errorType: "invalid_input",
  };
}

const traits = { readOnly: true, risk: "low", category: "tools" } as const;

/** What there is, what changed, and how the files stand. */
function createStatusTools({ workshop, hosts }: ManagementParts): Tool[] {
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

function asJson(data: unknown): ToolResult {
  return { ok: true, output: JSON.stringify(data, null, 2), data };
}
