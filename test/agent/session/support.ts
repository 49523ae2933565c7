import { join } from "node:path";
import type { TestContext } from "node:test";
import { openSessions, type Sessions, type SessionsOptions } from "../../../src/agent/session/sessions.ts";
import type { CallPart } from "../../../src/core/message.ts";
import { noUsage } from "../../../src/core/model.ts";
import type { SessionEntryBody } from "../../../src/core/session.ts";
import { createMemorySessionLeases } from "../../../src/records/memory/memory-stores.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const me = { pid: 4711, startTime: "1", bootId: "boot" };

export interface SessionsUnderTest {
  readonly sessions: Sessions;
  readonly folder: string;
  readonly clock: ManualClock;
  readonly options: SessionsOptions;
}

export async function setUpSessions(t: TestContext, given: Partial<SessionsOptions> = {}): Promise<SessionsUnderTest> {
  const folder = join(await temporaryFolder(t), "sessions");
  const clock = createManualClock();
  const options: SessionsOptions = {
    folder,
    leases: createMemorySessionLeases(),
    owner: me,
    isAlive: () => true,
    mask: (value) => value,
    clock,
    version: "0.0.0",
    ...given,
  };
  return { sessions: openSessions(options), folder, clock, options };
}

export const about = { model: "script/test", workdir: "/work" };

export function user(text: string): SessionEntryBody {
  return { type: "user", parts: [{ type: "text", text }] };
}

export function remark(text: string): SessionEntryBody {
  return { type: "remark", text };
}

export function reply(text: string, ...calls: string[]): SessionEntryBody {
  const parts = [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls.map(makeCall)];
  return { type: "assistant", parts, model: "script/test", stop: "end", usage: noUsage, cost: null };
}

/** `read:1` is the call 1 of read. */
export function makeCall(name: string): CallPart {
  const [tool = "", callId = name] = name.split(":");
  return { type: "call", callId, tool, inputText: "{}" };
}

export function results(...texts: string[]): SessionEntryBody {
  return {
    type: "results",
    results: texts.map((name) => {
      const [tool = "", callId = name, text = "done"] = name.split(":");
      return { callId, tool, text, isError: false };
    }),
  };
}
