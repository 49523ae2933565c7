import { commonOptions, type Command, type Option } from "../../parser/command.ts";

const nameHelp = "NAME is the job's name or its id, or the beginning or end of that, from four characters on.";
const reason: Option = { value: "TEXT", summary: "Why; it becomes part of the record" };
const when: Readonly<Record<string, Option>> = {
  cron: { value: "CRON", summary: `Five fields, or six with the second first: "0 9 * * 1-5"; also @hourly, @daily, …` },
  zone: {
    value: "ZONE",
    summary: "The time zone of --cron and --at, such as Europe/Berlin; the machine's when left out",
  },
  every: { value: "TIME", summary: "Every so often, counted from now: 90s, 15m, 1h30m, 1d" },
  at: { value: "TIME", summary: "Once: 2026-11-20T09:00, or with an offset of its own (+01:00, Z)" },
};

/** Jobs: what runs when. */
export const scheduleCommands: readonly Command[] = [
  {
    name: "schedule add",
    positionals: ["NAME"],
    summary: "Add a job: a tool, a prompt, a background agent or an improvement, at times that you say",
    details: `Say when (--cron, --every or --at) and what (--tool, --file, --prompt, --agent or --improve). A tool that comes from a
file is kept by its file: the job goes on with it, whatever else takes its name.

Nobody is there when it runs. A tool that you schedule runs as you wrote it; what an agent of --prompt does is asked about
unless --allow says otherwise, and waits in the inbox for that. Danger is always asked about. Prints the job and its next times.

Exit codes: 0 added, 2 something about it is wrong.`,
    options: {
      ...when,
      tool: { value: "NAME", summary: "Run this tool" },
      file: { value: "FILE", summary: "Run the tool of this file, such as tools/report.ts" },
      input: { value: "JSON", summary: "Of the tool; {} when left out" },
      prompt: { value: "TEXT", summary: "Give this to a model with tools, in a new session each time" },
      agent: { value: "NAME", summary: "Hand --message to this background agent (see `deckhand tasks agents`)" },
      message: { value: "TEXT", summary: "What the agent has to do" },
      cwd: { value: "DIR", summary: "Where the agent works, from the workdir" },
      model: { short: "m", value: "MODEL", summary: "Of --prompt or --agent" },
      improve: { value: "TOOL", summary: "Let a model improve this tool file by its failures" },
      overlap: {
        value: "RULE",
        summary: "While an earlier run is under way: skip (when left out), queue-one, cancel-old or allow",
      },
      missed: {
        value: "RULE",
        summary: "What nobody could start in time: last (made up for once), none or all (at most 10)",
      },
      "missed-window": { value: "TIME", summary: "What was missed longer ago is not made up for; 7d when left out" },
      jitter: {
        value: "TIME",
        summary:
          "Start up to so much later, always the same; a tenth of the interval, at most 1m and half the deadline, when left out",
      },
      deadline: { value: "TIME", summary: "A run that can't start so soon after it was to start is missed" },
      timeout: { value: "TIME", summary: "How long one run may take; 1h when left out" },
      retries: { value: "N", summary: "Try a failed run again so often; 0 when left out" },
      "pause-after": {
        value: "N",
        summary: "Pause the job after so many failed runs in a row; 3 when left out, 0: never",
      },
      idempotent: { summary: "Twice is the same as once: a run that is lost is started again" },
      allow: {
        value: "RULE",
        repeatable: true,
        summary: "What its calls may do without asking, as in permissions.allow: 'bash(npm test)'",
      },
      deny: { value: "RULE", repeatable: true, summary: "What they may not do at all" },
      "dry-run": { summary: "Check it and show its times; add nothing" },
      ...commonOptions,
    },
    examples: [
      `deckhand schedule add report --cron "0 9 * * 1-5" --zone Europe/Berlin --file tools/report.ts`,
      `deckhand schedule add tests --every 1h --tool bash --input '{"command":"npm test"}' --pause-after 0`,
      `deckhand schedule add triage --cron @daily --prompt "Label new issues" --allow "bash(gh issue *)"`,
      `deckhand schedule add once --at 2026-11-20T09:00 --agent claude --message "upgrade the dependencies"`,
    ],
    load: async () => (await import("./schedule-add-command.ts")).runScheduleAdd,
  },
  {
    name: "schedule list",
    positionals: [],
    summary: "List the jobs with their next times and how they ended last (also plain `schedule`)",
    options: commonOptions,
    examples: ["deckhand schedule", "deckhand schedule list --json"],
    load: async () => (await import("./schedule-list-command.ts")).runScheduleList,
  },
  {
    name: "schedule show",
    positionals: ["NAME"],
    summary: "Show all that is known of one job: its rules, next times and latest runs",
    details: nameHelp,
    options: commonOptions,
    examples: ["deckhand schedule show report", "deckhand schedule show report --json"],
    load: async () => (await import("./schedule-show-command.ts")).runScheduleShow,
  },
  {
    name: "schedule next",
    positionals: ["[NAME]"],
    summary: "Show the next times of a job, or of times that are no job's yet",
    details: `${nameHelp} Without one, say when by --cron, --every or --at. Days on which clocks are set are marked.`,
    options: { ...when, limit: { value: "N", summary: "So many; 5 when left out" }, ...commonOptions },
    examples: [
      "deckhand schedule next report",
      `deckhand schedule next --cron "30 2 * * *" --zone Europe/Berlin --limit 200`,
    ],
    load: async () => (await import("./schedule-show-command.ts")).runScheduleNext,
  },
  {
    name: "schedule pause",
    positionals: ["NAME"],
    summary: "Start nothing more of a job; what runs goes on",
    details: nameHelp,
    options: { reason, ...commonOptions },
    examples: [`deckhand schedule pause report --reason "holidays"`],
    load: async () => (await import("./schedule-change-commands.ts")).runSchedulePause,
  },
  {
    name: "schedule resume",
    positionals: ["NAME"],
    summary: "Go on with a job that was paused, by you or after failures",
    details: `${nameHelp} What was due meanwhile is skipped, and says so in its history.`,
    options: { reason, ...commonOptions },
    examples: ["deckhand schedule resume report"],
    load: async () => (await import("./schedule-change-commands.ts")).runScheduleResume,
  },
  {
    name: "schedule run",
    positionals: ["NAME"],
    summary: "Run a job now, also one that is paused, and wait for its end",
    details: `${nameHelp} The daemon does it if there is one, else this command. Ctrl-C cancels it.

Exit codes: 0 succeeded, 1 failed or not run, 124 time limit, 130 cancelled.`,
    options: {
      detach: { short: "d", summary: "Where a daemon runs: do not wait, print the run's id" },
      inbox: { summary: "Let what must be asked wait in the inbox, although there is a terminal" },
      ...commonOptions,
    },
    examples: ["deckhand schedule run report", "deckhand schedule run report --json"],
    load: async () => (await import("./schedule-run-command.ts")).runScheduleRun,
  },
  {
    name: "schedule remove",
    positionals: ["NAME"],
    summary: "Remove a job; what runs of it is cancelled, its history stays",
    details: nameHelp,
    options: { reason, ...commonOptions },
    examples: ["deckhand schedule remove report"],
    load: async () => (await import("./schedule-change-commands.ts")).runScheduleRemove,
  },
  {
    name: "schedule history",
    positionals: ["[NAME]"],
    summary: "List runs, latest first: what ran, what was missed or skipped, and why",
    details: `${nameHelp} Without one, of all jobs, also of those that are removed.`,
    options: { limit: { value: "N", summary: "At most so many; 20 when left out" }, ...commonOptions },
    examples: ["deckhand schedule history", "deckhand schedule history report --limit 100 --json"],
    load: async () => (await import("./schedule-history-command.ts")).runScheduleHistory,
  },
];
