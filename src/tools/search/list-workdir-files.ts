import { askNobody } from "../../core/approval.ts";

const mostFiles = 10_000;

/** The paths of a workdir's files for a person who types one, without what git ignores. No call: nothing is recorded. */
export async function listWorkdirFiles(workdir: string, signal: AbortSignal): Promise<readonly string[]> {
  const { globTool } = await import("./glob.ts");
  const input = globTool.check({ pattern: "**/*", limit: mostFiles });
  if (!input.ok) return [];
  const result = await globTool.run(input.input, {
    signal,
    workdir,
    executionId: "",
    env: {},
    progress: () => undefined,
    ask: (question) => askNobody(question, { executionId: "", signal }),
    stopped: () => undefined,
    sandboxed: () => undefined,
  });
  return result.ok ? (result.data as { readonly files: readonly string[] }).files : [];
}
