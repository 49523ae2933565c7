import type {
  AgentEvent,
  AgentEvents,
  AgentEventType,
  AgentStatistics,
  EventType,
  RuntimeEvent,
  RuntimeEvents,
} from "../../../src/core/events.ts";

/** Recorded: what happened after how many milliseconds. */
export type Step =
  | { readonly afterMs: number; readonly agent: AgentEvent }
  | { readonly afterMs: number; readonly runtime: RuntimeEvent };

export function agent<Type extends AgentEventType>(type: Type, payload: AgentEvents[Type], afterMs = 0): Step {
  // The union can't be built from its parts by the compiler.
  return { afterMs, agent: { type, at: 0, ...payload } as unknown as AgentEvent };
}

export function runtime<Type extends EventType>(type: Type, payload: RuntimeEvents[Type], afterMs = 0): Step {
  return { afterMs, runtime: { type, seq: 0, at: 0, ...payload } as unknown as RuntimeEvent };
}

const statistics: AgentStatistics = {
  turns: 2,
  calls: 3,
  successes: 2,
  failures: 1,
  cancelled: 0,
  consecutiveReadOnlySuccesses: 0,
  consecutiveNonMutatingSuccesses: 0,
  consecutiveErrors: 0,
  blockedRepeats: 0,
  recoveries: 0,
  toolsUsed: ["read", "bash", "edit"],
  usage: { inputTokens: 12_340, outputTokens: 560, cacheReadTokens: 6170, cacheWriteTokens: 0 },
  cost: 0.0234,
  durationMs: 14_000,
};

export function settled(changes: Partial<AgentEvents["call:settled"]>, afterMs = 0): Step {
  const base: AgentEvents["call:settled"] = {
    callId: "c1",
    executionId: "x1",
    tool: "read",
    state: "completed",
    error: null,
    errorType: null,
    durationMs: 12,
    output: "1\tone\n2\ttwo",
    outputBytes: 11,
    diff: null,
  };
  return agent("call:settled", { ...base, ...changes }, afterMs);
}

export function ended(changes: Partial<AgentEvents["run:ended"]> = {}, afterMs = 0): Step {
  const reason = { reason: null, failureKind: null } as const;
  const base = { sessionId: "s1", state: "answered", text: "Done.", ...reason, statistics } as const;
  return agent("run:ended", { ...base, ...changes }, afterMs);
}

export const begin: readonly Step[] = [
  agent("run:started", { sessionId: "s1", model: "script/demo" }),
  agent("turn:started", { turn: 1 }),
];

/** Thinking, text, two reads at once (one early), a command that fails, an edit, an answer. */
export const fixTests = {
  thinking: [
    ...begin,
    agent("reply:thinking", { text: "The person wants\nto see the tests" }, 2000),
    agent("reply:thinking", { text: " pass." }, 3000),
  ],
  reading: [
    agent("reply:text", { text: "I look at **both** fi" }),
    agent("reply:text", { text: "les first.\n" }, 100),
    agent("call:announced", { callId: "c1", tool: "read" }, 100),
    agent(
      "call:added",
      { callId: "c1", executionId: "x1", tool: "read", title: "src/a.ts", input: {}, isEarly: true },
      100,
    ),
    runtime("execution:started", {
      id: "x1",
      toolName: "read",
      toolId: "read",
      toolInput: {},
      version: "builtin",
      route: "stable",
      attempt: 1,
      timeoutMs: 1,
    }),
    agent("call:announced", { callId: "c2", tool: "bash" }, 100),
    agent(
      "call:added",
      { callId: "c2", executionId: "x2", tool: "bash", title: "npm test", input: {}, isEarly: false },
      100,
    ),
    agent("reply:finished", { text: "", calls: 2, stop: "calls", usage: statistics.usage, cost: 0.01 }),
    agent("context:measured", { tokens: 12_340, maxTokens: 100_000 }),
    runtime("execution:started", {
      id: "x2",
      toolName: "bash",
      toolId: "bash",
      toolInput: {},
      version: "builtin",
      route: "stable",
      attempt: 1,
      timeoutMs: 1,
    }),
    runtime("execution:progressed", {
      id: "x2",
      progress: { output: "compiling\n\u001b[31mrunning\u001b[0m 3 tests\n", stream: "stdout" },
    }),
  ],
  settling: [
    settled({ outputLines: 120 }, 3000),
    settled(
      {
        callId: "c2",
        executionId: "x2",
        tool: "bash",
        state: "failed",
        error: "Command exited with code 1",
        errorType: "exit_code",
        durationMs: 3200,
        output: "3 tests\n\u001b[2J1 failed\n",
        hint: "Look at the output.",
      },
      200,
    ),
  ],
  editing: [
    agent("turn:started", { turn: 2 }, 100),
    agent(
      "call:added",
      { callId: "c3", executionId: "x3", tool: "edit", title: "src/a.ts", input: {}, isEarly: false },
      100,
    ),
    settled(
      {
        callId: "c3",
        executionId: "x3",
        tool: "edit",
        diff: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-old\n+new\n",
      },
      100,
    ),
    agent("reply:text", { text: "Done: `src/a.ts` is **fixed**." }, 100),
    agent("reply:finished", { text: "", calls: 0, stop: "end", usage: statistics.usage, cost: 0.0134 }),
    agent("evidence:checked", {
      answerId: "a1",
      claims: 2,
      matched: 1,
      unmatched: ["npm run lint"],
      text: "evidence: 1 of 2 · no call shows npm run lint",
    }),
    ended(),
  ],
} satisfies Record<string, readonly Step[]>;
