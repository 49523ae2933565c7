import { commonOptions, storeOption, type Command } from "../../parser/command.ts";

export function withStore(command: Command): Command {
  return { ...command, options: { ...storeOption, ...command.options } };
}

export const workerCommands: readonly Command[] = [
  withStore({
    name: "worker",
    positionals: [],
    summary: "Run background tasks from a shared PostgreSQL on this machine",
    details: `It takes tasks for the agents that are installed here, as many of each at once as limits.max_agents says. When it ends,
what runs goes on: started again within a minute, it goes on watching; after that the task is called lost. Output stays on
the machine that has it, and is asked for from the others.`,
    options: {
      machine: { value: "NAME", summary: "By which it knows its own tasks again; made up once when left out" },
      ...commonOptions,
    },
    examples: ["deckhand worker --store postgres://deckhand@db.internal/deckhand"],
    load: async () => (await import("./worker-command.ts")).runWorker,
  }),
];
