import { RuntimeError } from "../../../src/core/errors.ts";
import type { AgentAdapter, AgentVerdict, OutputReader } from "../../../src/tasks/adapters/agent-adapter.ts";

function scriptAgent(name: string, openReader: () => OutputReader, program = "/bin/sh"): AgentAdapter {
  return {
    name,
    title: `The agent ${name}`,
    program,
    install: `npm install -g ${name}`,
    canResume: name === "said",
    plan(order, place) {
      if (order.model === "unknown") throw new RuntimeError("TASK_INVALID", "There is no such model.");
      return {
        args: [`${place.folder}/script`, ...order.args],
        files: { script: order.message },
        ...(order.systemPrompt === null ? {} : { stdin: order.systemPrompt }),
        env: { SESSION: order.resume ?? place.sessionId, HOME: null },
        passes: ["AGENT_KEY"],
        sessionId: name === "said" ? null : place.sessionId,
      };
    },
    openReader,
  };
}

/** `session S`, `progress P`, `text T`, `ok`, `failed E`; everything else is noise. */
function openSaidReader(): OutputReader {
  let text = "";
  let end: AgentVerdict | undefined;
  return {
    line(line) {
      const [word = "", rest = ""] = line.split(/ (.*)/s);
      if (word === "session") return { sessionId: rest };
      if (word === "progress") return { progress: rest };
      if (word === "text") text += rest;
      if (word !== "ok" && word !== "failed") return undefined;
      end = word === "ok" ? { ok: true, text } : { ok: false, error: rest };
      return { isDone: true };
    },
    end: ({ code, signal, errorText }) =>
      end ?? { ok: false, error: `It ended without an answer (${code ?? signal}): ${errorText.trim()}` },
    partial: () => text,
  };
}

function openPlainReader(): OutputReader {
  const lines: string[] = [];
  return {
    line(line) {
      lines.push(line.slice(0, 100));
      if (lines.length > 1000) lines.shift();
      return undefined;
    },
    end: ({ code, signal }) =>
      code === 0 ? { ok: true, text: lines.join("\n") } : { ok: false, error: `It ended with ${code ?? signal}.` },
    partial: () => lines.join("\n"),
  };
}

/** Agents whose message is a shell script. `said` speaks in events, one a line; `plain` is judged by its exit code. */
export const scriptAgents: ReadonlyMap<string, AgentAdapter> = new Map(
  [
    scriptAgent("said", openSaidReader),
    scriptAgent("plain", openPlainReader),
    scriptAgent("missing", openPlainReader, "no-such-agent"),
  ].map((adapter) => [adapter.name, adapter] as const),
);
