import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { ApprovalAnswer, ApprovalRequest } from "../../src/core/approval.ts";
import type { CallOptions, Execution } from "../../src/core/call.ts";
import type { Runtime, RuntimeConfig } from "../../src/runtime/create-runtime.ts";
import { openRuntime } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

export interface GatedRuntime {
  readonly workdir: string;
  readonly runtime: Runtime;
  /** What a person was asked, in order. */
  readonly asked: ApprovalRequest[];
  /** A call as a model makes it. */
  readonly call: (tool: string, input: unknown, options?: CallOptions) => Promise<Execution>;
}

type Answer = ApprovalAnswer | ((request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>);

export const no = { decision: "deny", who: "kim" } as const satisfies ApprovalAnswer;
export const yes = { decision: "allow", scope: "once", who: "kim" } as const satisfies ApprovalAnswer;

/** A runtime with real tools whose person gives this answer. */
export async function openGated(
  t: TestContext,
  settings: RuntimeConfig["settings"] = {},
  { answer = no, ...config }: Omit<RuntimeConfig, "settings"> & { answer?: Answer; home?: string } = {},
): Promise<GatedRuntime> {
  const home = config.home ?? (await temporaryFolder(t));
  const workdir = join(home, "work");
  await mkdir(workdir, { recursive: true });
  const asked: ApprovalRequest[] = [];
  const runtime = await openRuntime(t, {
    ...config,
    home,
    workdir,
    settings,
    async approve(request) {
      asked.push(request);
      return typeof answer === "function" ? answer(request) : answer;
    },
  });
  return {
    workdir,
    runtime,
    asked,
    call: (tool, input, options = {}) =>
      runtime.call(tool, input, { door: "agent", conversationId: "ses_1", ...options }),
  };
}
