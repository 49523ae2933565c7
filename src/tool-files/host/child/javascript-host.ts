// The program that a JavaScript or TypeScript tool file runs in: `javascript-host COPY ORIGINAL [STRIPPED]`. Started by the runtime only.
import { readFileSync } from "node:fs";
import { messageOf } from "../../../core/errors.ts";
import type { ToHost } from "../host-protocol.ts";
import { explainLoadError } from "./explain-load-error.ts";
import { findSpecLine } from "./find-line.ts";
import { loadTool } from "./load-tool.ts";
import { replacePrintStreams } from "./print-streams.ts";
import { readRawSpec } from "./read-raw-spec.ts";
import type { RawSpec } from "./read-raw-spec.ts";
import { createToolCalls } from "./tool-calls.ts";
import type { ToolCalls } from "./tool-calls.ts";
import { thrownType } from "./to-result.ts";
import type { ToolPlace } from "./tool-place.ts";
import { listen, send } from "./child-wire.ts";

const place: ToolPlace = {
  copy: process.argv[2]!,
  original: process.argv[3]!,
  stripped: process.argv[4] ?? null,
};
process.argv = [process.execPath, place.original];
replacePrintStreams();
let calls: ToolCalls | undefined;
let spec: RawSpec | undefined;
let isEnding = false;
/** What came while the file was still loading. */
const early: ToHost[] = [];

process.on("uncaughtException", (thrown) => tellUncaught(thrown));
process.on("unhandledRejection", (thrown) => tellUncaught(thrown));
process.on("exit", (code) => {
  if (!isEnding) send({ kind: "exiting", id: calls?.current() ?? null, code });
});
listen(
  (message) => (calls ? take(message) : early.push(message)),
  () => void end(),
);
await load();

async function load(): Promise<void> {
  try {
    const tool = await loadTool(place);
    spec = await readRawSpec(tool.spec);
    const has = tool.create ? "create" : tool.run ? "run" : "neither";
    calls = createToolCalls(tool, spec);
    const line = findSpecLine(readFileSync(place.copy, "utf8"));
    send({ kind: "loaded", file: { spec: spec.plain, line, exports: has } });
    for (const message of early) take(message);
  } catch (thrown) {
    tellBroken(thrown);
  }
}

function take(message: ToHost): void {
  switch (message.kind) {
    case "check": {
      const { problems } = spec!.take(message.input);
      return send({ kind: "checked", id: message.id, problems: problems.length === 0 ? null : problems });
    }
    case "call":
      return void calls!.start(message.id, message.input, message.context);
    case "cancel":
      return calls!.cancel(message.id);
    case "answer":
      return calls!.answer(message.id, message.ask, message.answer);
    case "close":
      return void end();
  }
}

/** Also when nobody listens any more: what `create()` opened is closed all the same. */
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  try {
    await calls?.close();
  } catch (thrown) {
    console.error(thrown);
  }
  send({ kind: "closed" });
  process.exit(0);
}

function tellBroken(thrown: unknown): void {
  send({ kind: "broken", problem: explainLoadError(thrown, place) });
  isEnding = true;
  process.exit(0);
}

function tellUncaught(thrown: unknown): void {
  console.error(thrown);
  if (!calls) return tellBroken(thrown);
  const id = calls.current();
  if (id !== null) calls.forget(id);
  send({ kind: "uncaught", id, message: messageOf(thrown).slice(0, 10_000), errorType: thrownType(thrown) });
}
