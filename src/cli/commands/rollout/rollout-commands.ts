import { commonOptions, type Command, type Option } from "../../parser/command.ts";

const reason: Option = { value: "TEXT", summary: "Why; it stays in the history" };

/** New versions of tool files: how far they are, and a person's orders about them. */
export const rolloutCommands: readonly Command[] = [
  {
    name: "rollout status",
    positionals: ["[TOOL]"],
    summary: "Show which new versions of tool files are tried, how far they are, and why (also plain `rollout`)",
    details: `The share is that of the conversations which get the new version. What the stages are, and how to switch this on, is in
docs/rollouts.md. With --watch it goes on until Ctrl-C: on a terminal the table is drawn again, in a pipe each change is a line.`,
    options: {
      watch: { short: "w", summary: "Go on showing it; with --json, one document in a line for each change" },
      ...commonOptions,
    },
    examples: ["deckhand rollout", "deckhand rollout status --watch", "deckhand rollout status echo_tool --json"],
    load: async () => (await import("./rollout-status-command.ts")).runRolloutStatus,
  },
  {
    name: "rollout explain",
    positionals: ["TOOL"],
    summary: "Show all that speaks for and against the version that is tried, what it changes, and what you can do",
    options: commonOptions,
    examples: ["deckhand rollout explain echo_tool"],
    load: async () => (await import("./rollout-explain-command.ts")).runRolloutExplain,
  },
  {
    name: "rollout promote",
    positionals: ["TOOL"],
    summary: "Agree to one step, now; with --all, give it to everybody",
    options: {
      all: { summary: "To everybody, whatever is proven" },
      reason,
      ...commonOptions,
    },
    examples: ["deckhand rollout promote echo_tool", `deckhand rollout promote echo_tool --all --reason "urgent fix"`],
    load: async () => (await import("./rollout-order-commands.ts")).runRolloutPromote,
  },
  {
    name: "rollout hold",
    positionals: ["TOOL"],
    summary: "Keep the share as it is; what is bad is still rolled back",
    options: { reason, ...commonOptions },
    examples: [`deckhand rollout hold echo_tool --reason "until Monday"`],
    load: async () => (await import("./rollout-order-commands.ts")).runRolloutHold,
  },
  {
    name: "rollout feedback",
    positionals: ["TOOL"],
    summary: "Mark the result of a call as bad; it counts against the version that ran it",
    details: `While a version is tried, the call counts like a failure, once. What you say is kept for \`deckhand improve\` as well.`,
    options: {
      bad: { value: "CALL", summary: "The id of the call (see `deckhand calls list`)" },
      reason,
      ...commonOptions,
    },
    examples: [`deckhand rollout feedback echo_tool --bad call_01a1e33c --reason "wrong language"`],
    load: async () => (await import("./rollout-feedback-command.ts")).runRolloutFeedback,
  },
  {
    name: "rollout resume",
    positionals: ["TOOL"],
    summary: "End a hold or a pin; what was rolled back begins again from the first stage",
    details: `What was rolled back is replayed first. Where it fails that again, it stays rolled back, and the exit code is 1.`,
    options: commonOptions,
    examples: ["deckhand rollout resume echo_tool"],
    load: async () => (await import("./rollout-order-commands.ts")).runRolloutResume,
  },
  {
    name: "rollout rollback",
    positionals: ["TOOL"],
    summary: "Give everybody the stable version; where there is no new one, the one before it",
    details: `Counts from the next call on, in every process. The version stays out until you resume it. With --hard it is disabled, and
no other content gets out before you resume. With --to it goes back to a content that was stable once: what is tried, and all
that was stable after it, stays out.`,
    options: {
      to: { value: "VERSION", summary: "4 characters of its hash or more, or its number in `rollout history`" },
      hard: { summary: "Also pin what is stable: nothing else gets out" },
      reason,
      ...commonOptions,
    },
    examples: [
      "deckhand rollout rollback echo_tool",
      "deckhand rollout rollback echo_tool --to 03deda3d",
      `deckhand rollout rollback echo_tool --hard --reason "deletes too much"`,
    ],
    load: async () => (await import("./rollout-order-commands.ts")).runRolloutRollback,
  },
  {
    name: "rollout history",
    positionals: ["[TOOL]"],
    summary: "List what became of which version, and why, newest first",
    options: { limit: { value: "N", summary: "At most so many; 20 when left out" }, ...commonOptions },
    examples: ["deckhand rollout history", "deckhand rollout history echo_tool --limit 100 --json"],
    load: async () => (await import("./rollout-history-command.ts")).runRolloutHistory,
  },
];
