import { commonOptions, type Command } from "../../parser/command.ts";

const idHelp = "ID is the whole id, or as much of its beginning or end as only one entry has.";

/** What a person decides: the inbox, trust, grants. */
export const permissionCommands: readonly Command[] = [
  {
    name: "inbox list",
    positionals: [],
    summary: "List the questions and approvals that wait for you (also plain `inbox`)",
    options: { all: { summary: "Also those that are settled" }, ...commonOptions },
    examples: ["deckhand inbox", "deckhand inbox list --all --json"],
    load: async () => (await import("../approvals/inbox-list-command.ts")).runInboxList,
  },
  {
    name: "inbox show",
    positionals: ["ID"],
    summary: "Show one of them whole: the command or the diff, and why it is asked",
    details: idHelp,
    options: commonOptions,
    examples: ["deckhand inbox show 1a60"],
    load: async () => (await import("../approvals/inbox-show-command.ts")).runInboxShow,
  },
  {
    name: "inbox answer",
    positionals: ["ID", "[TEXT]"],
    summary: "Answer a question: with text, or with an option of its list",
    details: `${idHelp} TEXT may be the number or the text of an option. The call that waits goes on at once.`,
    options: {
      option: {
        value: "N",
        repeatable: true,
        summary: "Choose option N, from 1 on; again for more where that is offered",
      },
      ...commonOptions,
    },
    examples: [`deckhand inbox answer 1a60 "the blue one"`, "deckhand inbox answer 1a60 --option 2"],
    load: async () => (await import("../approvals/inbox-settle-commands.ts")).runInboxAnswer,
  },
  {
    name: "inbox approve",
    positionals: ["ID"],
    summary: "Say yes: the call that waits runs",
    details: `${idHelp} Danger can only be approved once.`,
    options: {
      scope: { value: "SCOPE", summary: "once (when left out), conversation or always" },
      ...commonOptions,
    },
    examples: ["deckhand inbox approve 1a60", "deckhand inbox approve 1a60 --scope always"],
    load: async () => (await import("../approvals/inbox-settle-commands.ts")).runInboxApprove,
  },
  {
    name: "inbox deny",
    positionals: ["ID"],
    summary: "Say no: the call that waits is refused",
    details: idHelp,
    options: { reason: { value: "TEXT", summary: "Why; whoever asked for the call is told" }, ...commonOptions },
    examples: [`deckhand inbox deny 1a60 --reason "not on Friday"`],
    load: async () => (await import("../approvals/inbox-settle-commands.ts")).runInboxDeny,
  },
  {
    name: "trust",
    positionals: ["[FILE]"],
    summary: "Trust what this folder brings along (deckhand.json, tools), as it is now",
    details: `A folder's own settings may narrow what is allowed; what widens it, runs code or weakens the records counts only after
this. Trust is in the content: a file that changes has to be trusted again. Shows what it is about and asks.`,
    options: {
      status: { summary: "Only show what is trusted and what is not" },
      yes: { summary: "Do not ask: I have looked at it" },
      revoke: { summary: "Trust nothing here any more" },
      adopt: { summary: "Take over a .deckhand folder that was not made by you on this machine" },
      ...commonOptions,
    },
    examples: ["deckhand trust", "deckhand trust --status", "deckhand trust tools/echo_tool.ts"],
    load: async () => (await import("./trust-command.ts")).runTrust,
  },
  {
    name: "grants list",
    positionals: [],
    summary: `List what you allowed for longer than one call (also plain \`grants\`)`,
    options: commonOptions,
    examples: ["deckhand grants"],
    load: async () => (await import("./grants-commands.ts")).runGrantsList,
  },
  {
    name: "grants revoke",
    positionals: ["[NUMBER]"],
    summary: "Take one of them back",
    options: { all: { summary: "Take all of them back" }, ...commonOptions },
    examples: ["deckhand grants revoke 2", "deckhand grants revoke --all"],
    load: async () => (await import("./grants-commands.ts")).runGrantsRevoke,
  },
];
