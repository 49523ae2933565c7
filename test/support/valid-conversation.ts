import assert from "node:assert/strict";
import { callsOf, type Message } from "../../src/core/message.ts";

/** What every provider asks of a conversation; knows nothing of how one is made. */
export function assertValidConversation(messages: readonly Message[]): void {
  if (messages.length === 0) return;
  assert.equal(messages[0]!.role, "user");
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const after = messages[index + 1];
    if (message.role === "tool") {
      assert.ok(before?.role === "assistant", "results follow the reply that asked for them");
      const asked = callsOf(before.parts).map((call) => call.callId);
      assert.ok(asked.length > 0);
      assert.deepEqual(
        message.results.map((result) => result.callId),
        asked,
      );
    } else if (message.role === "assistant") {
      assert.ok(before?.role === "user" || before?.role === "tool", "a reply answers somebody");
      assert.ok(
        message.parts.some((each) => each.type === "call" || (each.type === "text" && each.text.trim() !== "")),
      );
      if (callsOf(message.parts).length > 0) assert.equal(after?.role, "tool");
      else assert.ok(after === undefined || after.role === "user");
    } else {
      assert.notEqual(before?.role, "user");
      assert.ok(message.parts.length > 0);
      for (const each of message.parts) assert.ok(each.type === "image" || each.text.trim() !== "");
    }
  }
}
