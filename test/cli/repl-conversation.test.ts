import assert from "node:assert/strict";
import { test } from "node:test";
import { tmuxLane } from "../support/tmux.ts";
import { openTalk } from "./talk.ts";

const lane = tmuxLane();

test(
  "a prompt is answered, the text streams, and the row below says model, tokens, cost and mode [L2]",
  lane,
  async (t) => {
    const talk = await openTalk(t, {
      script: {
        model: { price: { input: 1000, output: 1000, cache_read: 0, cache_write: 0 } },
        turns: [
          {
            text: "One two three four five six seven.\n\nThe **end**.",
            piece_ms: 40,
            usage: { input_tokens: 100, output_tokens: 20 },
          },
        ],
      },
    });
    await talk.seePrompt();
    await talk.say("hello");
    await talk.see("The end.");
    const shown = await talk.seePrompt();
    assert.match(shown, /^› hello\n/m);
    assert.match(shown, /One two three four five six seven\./);
    assert.match(shown, /1 turn · 100 tokens in, 20 out · \$0\.12 · /);
    assert.match(shown, /script\.json · 120\/100k \(0%\) · \$0\.12 · ask$/m);
    await talk.press("C-d");
    await talk.see(/deckhand resume [0-9a-f]{8} goes on with this conversation\.$/m);
    await talk.seeRestored(0);
  },
);
