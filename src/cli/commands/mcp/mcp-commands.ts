import { commonOptions, type Command } from "../../parser/command.ts";

/** Other agents and programs hand their jobs over by this. */
export const mcpCommand: Command = {
  name: "mcp",
  positionals: [],
  summary: "Serve MCP: other agents hand jobs to background agents, and can use the tools",
  details: `On stdin and stdout, for a client that starts it; with --http or --socket, for clients that send the token of this
workdir (a private file, which is named at the start). Tasks go on when the client, or this server, ends; any later one
answers for them.

Tools: use_agent, get_task_status, wait_for_task, get_task_output, list_tasks, cancel_task, list_agents; with --expose
the catalog's own as well, under the same permission rules. Nobody can say yes by this way: what must be asked is refused,
or waits in the inbox where permissions.unattended says so. With --inbox clients see what waits there (list_inbox) and pass
on a person's answer to a question (answer_question); approvals stay with the person. docs/mcp.md has the rest.`,
  options: {
    http: { value: "PORT", summary: "Serve on this port of 127.0.0.1 instead; 0 takes one that is free" },
    socket: { value: "PATH", summary: "Serve on a Unix socket instead" },
    expose: { summary: "Offer the catalog's tools, too" },
    inbox: { summary: "Let clients list the inbox and answer questions in it; they approve nothing" },
    ...commonOptions,
  },
  examples: [
    "claude mcp add deckhand -- deckhand mcp",
    "deckhand mcp --workdir ~/project --expose",
    "deckhand mcp --http 8765",
  ],
  load: async () => (await import("./mcp-command.ts")).runMcp,
};
