import assert from "node:assert/strict";
import { readFileSync, truncateSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { assembleConversation, createConversationView } from "../../../src/agent/session/assemble-conversation.ts";
import { noUsage } from "../../../src/core/model.ts";
import type { SessionEntry, SessionEntryBody } from "../../../src/core/session.ts";
import { count } from "../../support/counts.ts";
import { assertValidConversation } from "../../support/valid-conversation.ts";
import { about, setUpSessions } from "./support.ts";

const text = fc.oneof(fc.string({ maxLength: 12, unit: "binary" }), fc.constantFrom("", " ", "ü🙂", "hello"));
const callId = fc.constantFrom("1", "2", "3", "4");
const part = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text }),
  fc.record({
    type: fc.constant("thinking" as const),
    text,
    opaque: fc.record({ provider: fc.constant("p"), data: fc.jsonValue() }),
  }),
  fc.record({ type: fc.constant("call" as const), callId, tool: fc.constant("read"), inputText: text }),
);
const body: fc.Arbitrary<SessionEntryBody> = fc.oneof(
  text.map((each): SessionEntryBody => ({ type: "user", parts: [{ type: "text", text: each }] })),
  text.map((each): SessionEntryBody => ({ type: "remark", text: each })),
  fc.array(part, { maxLength: 5 }).map((parts): SessionEntryBody => ({
    type: "assistant",
    parts,
    model: "m",
    stop: "end",
    usage: noUsage,
    cost: null,
  })),
  fc
    .array(fc.record({ callId, tool: fc.constant("read"), text, isError: fc.boolean() }), { maxLength: 4 })
    .map((each): SessionEntryBody => ({ type: "results", results: each })),
);

type Step =
  | { readonly kind: "append"; readonly body: SessionEntryBody }
  /** Of the last entry, so far. */
  | { readonly kind: "compact"; readonly back: number | null }
  | { readonly kind: "undo_compaction" }
  /** How much of the file is left, from 0 to 1; 1 is a kill between two entries. */
  | { readonly kind: "kill"; readonly left: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: body.map((each): Step => ({ kind: "append", body: plain(each) })) },
  { weight: 1, arbitrary: fc.option(fc.nat(8)).map((back): Step => ({ kind: "compact", back })) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "undo_compaction" }) },
  {
    weight: 3,
    arbitrary: fc
      .oneof(fc.constant(1), fc.double({ min: 0.5, max: 1, noNaN: true }))
      .map((left): Step => ({ kind: "kill", left })),
  },
);

test("however often a session is killed, every whole entry is kept and the conversation stays valid [L11]", async (t) => {
  const { sessions } = await setUpSessions(t);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      let session = await sessions.create(about);
      // The file is there from here on.
      session.append({ type: "user", parts: [{ type: "text", text: "start" }] });
      let view = createConversationView(session);
      for (const each of steps) {
        if (each.kind !== "kill") {
          const next = bodyOf(each, session.branch);
          if (next) session.append(next);
        } else {
          await session.close();
          const { expected, size } = cut(session.path, session.branch, each.left);
          truncateSync(session.path, size);
          if (expected.length === 0) return;
          session = await sessions.open(session.id);
          view = createConversationView(session);
          assert.deepEqual(session.branch, expected);
        }
        const conversation = assembleConversation(session.branch);
        assertValidConversation(conversation.messages);
        assert.deepEqual(view.read(), conversation);
        assert.equal(conversation.entryIds.length, conversation.messages.length);
      }
      await session.close();
    }),
    { numRuns: count({ quick: 60, full: 3000 }) },
  );
});

/** Without what JSON has no word for, such as objects without a prototype. */
function plain(given: SessionEntryBody): SessionEntryBody {
  return JSON.parse(JSON.stringify(given)) as SessionEntryBody;
}

function bodyOf(step: Exclude<Step, { kind: "kill" }>, branch: readonly SessionEntry[]): SessionEntryBody | undefined {
  if (step.kind === "append") return step.body;
  if (step.kind === "compact") {
    const firstKeptId = step.back === null ? null : branch.at(-1 - (step.back % branch.length))!.id;
    return { type: "compaction", summary: "s", pins: [], firstKeptId, tokensBefore: 1, tokensAfter: 1 };
  }
  const last = branch.findLast(({ type }) => type === "compaction");
  return last && { type: "compaction_undone", compactionId: last.id };
}

/** Where the file ends after the kill, and the entries whose bytes are all before that, the end of the line aside. */
function cut(path: string, branch: readonly SessionEntry[], left: number): { expected: SessionEntry[]; size: number } {
  const bytes = readFileSync(path);
  const size = Math.floor(bytes.length * left);
  const ends: number[] = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) ends.push(at);
  assert.equal(ends.length, branch.length);
  return { expected: branch.filter((_, index) => ends[index]! <= size), size };
}
