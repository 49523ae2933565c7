import assert from "node:assert/strict";
import { mkdir, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tmuxLane } from "../support/tmux.ts";
import { openTalk } from "./talk.ts";

const lane = tmuxLane();

test("/tool runs a tool without the model, shows the result unchanged, and is in the log [C6]", lane, async (t) => {
  const talk = await openTalk(t, { script: ["Never asked."], files: { "notes.txt": "  indented\nlast" } });
  await talk.seePrompt();
  await talk.say("/tools");
  await talk.see(/^TOOL +MAY DO +WHAT FOR$/m);
  await talk.say('/tool bash {"command":"cat notes.txt"}');
  await talk.see(/^ {2}indented\nlast$/m);
  await talk.say("/tool");
  await talk.see("Say which tool: /tool read");
  await talk.say("/tool raed {}");
  await talk.see("read");
  await talk.say("/tool read {broken");
  await talk.see(/JSON/);
  await talk.say("/reload-tools");
  await talk.see(/There are \d+ tools; none of them comes from a file\./);
  const calls = JSON.parse((await talk.machine.run(["calls", "--json"])).stdout) as {
    tool_name: string;
    door: string;
  }[];
  assert.deepEqual(calls.map(({ tool_name: tool, door }) => `${tool} ${door}`).toReversed(), [
    "bash cli",
    "raed cli",
    "read cli",
  ]);
  assert.match((await talk.machine.run(["log", "--type", "tool_call"])).stdout, /cat notes\.txt/);
  await assert.rejects(talk.entries(), { code: "ENOENT" });
});

test(
  "what is no command, and what a command does not take, is said in a sentence; a path is no command [L2]",
  lane,
  async (t) => {
    const talk = await openTalk(t, { script: [{ text: "A file.", expect: { contains: "/etc/hosts what is it" } }] });
    await talk.seePrompt();
    for (const [line, answer] of [
      ["/hlep", "There is no command /hlep. Did you mean /help? /help lists them."],
      ["/cost now", '/cost takes nothing behind it; got "now".'],
      ["/mode fast", '"fast" is no mode; there are: ask, accept-edits, auto, plan, never.'],
      ["/undo all", '/undo takes nothing, or --force; got "all".'],
      ["/undo", "There is nothing to undo: no turn here changed a file."],
      ["/log x", '/log takes a number from 1 on; got "x".'],
      ["/log", "No tool was called yet."],
      ["/compact", "There is nothing to compact yet."],
      ["/compact undo", "There is no summary to take back."],
      ["/evidence", "There is no answer yet."],
      ["/skills", "There are no skills here"],
      ["/lessons", "Nothing is remembered of this folder."],
      ["/lessons forget", '/lessons takes nothing, "learn", or "remove N"; got "forget".'],
      ["/lessons remove 3", "There is no lesson 3; there are 0."],
      ["/model nobody/nothing", "nobody"],
      ["/resume", "There is no other conversation to go on with."],
      ["/resume zzzz", "There is no session"],
      ["/sessions", "There is no conversation here yet."],
    ] as const) {
      await talk.say(line);
      await talk.see(answer);
      await talk.seePrompt();
      await talk.press("C-l");
    }
    await talk.say("/etc/hosts what is it");
    await talk.see("A file.");
  },
);

test("/help lists every command, and Shift-Tab changes the mode [L2]", lane, async (t) => {
  const talk = await openTalk(t, { script: ["Hello."] });
  await talk.seePrompt();
  await talk.say("/help");
  const shown = await talk.see("Ctrl-C stops the call, again the turn, again leaves");
  for (const name of "help tools tool reload-tools mode model cost compact undo log evidence skills lessons reset sessions resume exit".split(
    " ",
  )) {
    assert.match(shown, new RegExp(`^  /${name} `, "m"));
  }
  await talk.seePrompt();
  for (const mode of ["accept-edits", "auto", "plan", "ask"]) {
    await talk.press("BTab");
    await talk.see(new RegExp(` · ${mode}$`));
  }
  await talk.say("/mode never");
  await talk.see("The mode is never now.");
  await talk.see(/ · never$/);
  await talk.say("/exit");
  await talk.seeRestored(0);
});

test(
  "Ctrl-O and /log show the whole output of a call, at the prompt and while the agent works [L2]",
  lane,
  async (t) => {
    const count = (to: number) => ({ calls: [{ tool: "bash", input: { command: `seq 1 ${to}` } }] });
    const talk = await openTalk(t, {
      rows: 60,
      script: [count(7), count(9), { text: "Counted.", delay_ms: 600_000 }],
    });
    await talk.seePrompt();
    await talk.say("count");
    await talk.see(/bash seq 1 9 · .*\n[\s\S]*thinking/);
    await talk.press("C-o");
    await talk.see(/bash seq 1 9 · completed · call_.*\n1\n2\n3\n4\n5\n6\n7\n8\n9\n/);
    await talk.press("Escape");
    await talk.seePrompt();
    await talk.press("C-o");
    await talk.see(/(?:completed · call_[\s\S]*){2}9\n›/);
    await talk.say("/log 2");
    await talk.see(/bash seq 1 7 · completed · call_.*\n1\n2\n3\n4\n5\n6\n7\n›/);
    await talk.say("/log 9");
    await talk.see("There were only 2 calls.");
  },
);

test("/undo puts files back, leaves alone what somebody else changed, and --force does not [L2]", lane, async (t) => {
  const write = (name: string) => ({ calls: [{ tool: "write", input: { file_path: name, content: "new\n" } }] });
  const talk = await openTalk(t, {
    args: ["agent", "--mode", "accept-edits"],
    files: { "a.txt": "old\n" },
    script: [write("a.txt"), "One.", write("b.txt"), "Two."],
  });
  await talk.seePrompt();
  await talk.say("first");
  await talk.see("One.");
  await talk.seePrompt();
  await talk.say("second");
  await talk.see("Two.");
  await talk.seePrompt();
  await talk.put("b.txt", "mine\n");
  await talk.say("/undo");
  await talk.see(/left alone b\.txt: .*\(\/undo --force does it all the same\)/);
  assert.equal(await talk.read("b.txt"), "mine\n");
  await talk.say("/undo --force");
  await talk.see("removed    b.txt");
  await talk.seePrompt();
  await talk.say("/undo");
  await talk.see("put back   a.txt");
  assert.equal(await talk.read("a.txt"), "old\n");
});

test("/undo names --force only where that helps, and folders of the turn go [L2]", lane, async (t) => {
  const write = (name: string) => ({ tool: "write", input: { file_path: name, content: "new\n" } });
  const talk = await openTalk(t, {
    args: ["agent", "--mode", "accept-edits"],
    script: [{ calls: [write("new/deep/a.txt"), write("b.txt")] }, "Written."],
  });
  await talk.seePrompt();
  await talk.say("write them");
  await talk.see("Written.");
  await talk.seePrompt();
  await rm(join(talk.machine.workdir, "b.txt"));
  await symlink("script.json", join(talk.machine.workdir, "b.txt"));
  await talk.say("/undo");
  await talk.see(/removed    new\/deep\/a\.txt\nleft alone b\.txt: It is no regular file any more\.$/m);
  await assert.rejects(stat(join(talk.machine.workdir, "new")), { code: "ENOENT" });
  await talk.seePrompt();
  await talk.say("/undo --force");
  await talk.see(/(?:left alone b\.txt[\s\S]*){2}/);
  assert.equal((await talk.screen()).split("removed    new/deep/a.txt").length, 2);
});

test("/cost, /model and /compact with its undo [L2]", lane, async (t) => {
  const long = "words ".repeat(4000);
  const talk = await openTalk(t, {
    files: { "other.json": JSON.stringify({ at_end: "loop", turns: ["From the other."] }) },
    script: {
      model: { context_tokens: 40_000, price: { input: 1, output: 1, cache_read: 0, cache_write: 0 } },
      without_tools: "A short summary of it all.",
      turns: [
        { text: `${long}one`, usage: { input_tokens: 1000, output_tokens: 500, cache_read_tokens: 500 } },
        `${long}two`,
        `${long}three`,
        "four",
      ],
    },
  });
  await talk.seePrompt();
  for (const word of ["one", "two", "three", "four"]) {
    await talk.say(`say ${word}`);
    await talk.see(new RegExp(`${word}\n\n`));
    await talk.seePrompt();
    if (word !== "one") continue;
    await talk.say("/cost");
    await talk.see("1,000 tokens in (50 % from the cache), 500 out; $0.0010.");
    await talk.see(/The context holds [\d,]+ of 40,000 tokens\./);
  }
  await talk.say("/compact the numbers");
  await talk.see(/\d+ messages? summarised, .* → .* tokens\. \/compact undo takes it back\./);
  await talk.seePrompt();
  await talk.say("/compact undo");
  await talk.see("The summary is taken back.");
  await talk.say("/model");
  await talk.see(/The model is script:.*script\.json\./);
  await talk.say("/model script:missing.json");
  await talk.see(/missing\.json/);
  await talk.say("/model script:other.json");
  await talk.see(/The model is script:.*other\.json now\./);
  await talk.say("hello");
  await talk.see("From the other.");
});

test(
  "/reset, /sessions and /resume change the conversation; --continue does not bring a reset one back [L2]",
  lane,
  async (t) => {
    const talk = await openTalk(t, {
      script: { at_end: "loop", turns: ["First answer.", "Second answer."] },
      args: ["agent", "--continue"],
    });
    await talk.seePrompt();
    await talk.say("alpha");
    await talk.see("First answer.");
    await talk.seePrompt();
    await talk.say("/reset");
    await talk.see(/deckhand · [\s\S]*deckhand · /);
    await talk.seePrompt();
    await talk.say("beta");
    await talk.see(/beta\n(?:.*\n)?First answer\./);
    await talk.seePrompt();
    await talk.say("/sessions");
    const listed = await talk.see(/beta \(this one\)/);
    const [, alpha] = /^([0-9a-f]{8}) .* alpha$/m.exec(listed)!;
    await talk.say("/resume");
    await talk.see(/^❯ +1\. [0-9a-f]{8} · .* · alpha/m);
    await talk.press("Enter");
    await talk.see(/Going on with ses_.*: 1 prompt so far\.\n› alpha\nFirst answer\./);
    await talk.seePrompt();
    await talk.say(`/resume ${alpha}`);
    await talk.see("That is the conversation you are in.");
    await talk.say("gamma");
    await talk.see("Second answer.");
    await talk.seePrompt();
    await talk.say("/reset");
    await talk.seePrompt();
    await talk.press("C-d");
    await talk.see(/^code 0$/m);
    const sessions = JSON.parse((await talk.machine.run(["sessions", "--json"])).stdout) as Record<string, unknown>[];
    assert.deepEqual(
      sessions.map(({ title, is_ended: isEnded }) => [title, isEnded]),
      [
        ["alpha", true],
        ["beta", false],
      ],
    );
  },
);

test(
  "lessons are proposed when they are asked for, picked, listed and removed; the end says that they exist [L14]",
  lane,
  async (t) => {
    const talk = await openTalk(t, {
      script: {
        without_tools: "- Run the tests with `make check`.\n- The port is 8123.",
        turns: [{ calls: [{ tool: "read", input: { file_path: "missing.txt" } }] }, "Read."],
      },
    });
    await talk.seePrompt();
    await talk.say("read it");
    await talk.see("Read.");
    await talk.seePrompt();
    await talk.say("/lessons learn");
    await talk.see(/\[ \] Run the tests/);
    await talk.press("Space");
    await talk.see(/\[x\] Run the tests/);
    await talk.press("Enter");
    await talk.see("Kept 1; /lessons shows them.");
    await talk.say("/lessons");
    await talk.see(/^1\. Run the tests with `make check`\.\nIn .*$/m);
    await talk.say("/lessons remove 1");
    await talk.see("Removed: Run the tests with `make check`.");
    await talk.press("C-d");
    await talk.see(/goes on with this conversation\.\n\/lessons learn in it proposes what to remember for next time\./);
  },
);

test("/skills lists the skills and says which one is in use [L12]", lane, async (t) => {
  const talk = await openTalk(t, {
    script: [{ calls: [{ tool: "use_skill", input: { name: "tidy" } }] }, "In use."],
  });
  await talk.seePrompt();
  await mkdir(join(talk.machine.workdir, "skills", "tidy"), { recursive: true });
  await talk.put("skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies up\nallowed-tools: read\n---\nTidy.\n");
  await talk.press("C-d");
  await talk.see(/^code 0$/m);
  await talk.start("agent", "--model", "script:script.json");
  await talk.seePrompt();
  await talk.say("/skills");
  await talk.see(/tidy {2}Tidies up \[read\]\nNone is in use\./);
  await talk.say("use it");
  await talk.see("In use.");
  await talk.seePrompt();
  await talk.say("/skills");
  await talk.see(/● tidy {2}Tidies up \[read\]\nIn use: tidy\./);
});
