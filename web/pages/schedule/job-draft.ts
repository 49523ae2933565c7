/** What stands in the form of a new job: texts as they were typed. */
export interface JobDraft {
  readonly name: string;
  readonly when: "cron" | "every" | "at";
  readonly cron: string;
  readonly every: string;
  readonly at: string;
  readonly timeZone: string;
  readonly what: "tool" | "prompt" | "agent" | "improve";
  readonly tool: string;
  readonly input: string;
  readonly prompt: string;
  readonly agent: string;
  readonly message: string;
  readonly allow: string;
}

export function emptyJob(timeZone: string): JobDraft {
  return {
    name: "",
    when: "cron",
    cron: "0 9 * * 1-5",
    every: "15m",
    at: "",
    timeZone,
    what: "tool",
    tool: "",
    input: "{}",
    prompt: "",
    agent: "",
    message: "",
    allow: "",
  };
}

/** When, as the daemon reads it. An interval is the same in every zone, so it has none. */
export function writtenTimes({ when, cron, every, at, timeZone }: JobDraft): Readonly<Record<string, string>> {
  return { cron: { cron, time_zone: timeZone }, every: { every }, at: { at, time_zone: timeZone } }[when];
}

/** The job as the daemon reads it, or what is wrong with its fields in one sentence. */
export function writtenJob(draft: JobDraft): { readonly job: object } | { readonly problem: string } {
  const name = draft.name.trim();
  if (name === "") return { problem: "Give the job a name." };
  const work = writtenWork(draft);
  if ("problem" in work) return work;
  const allow = draft.allow
    .split("\n")
    .map((rule) => rule.trim())
    .filter((rule) => rule !== "");
  return {
    job: {
      name,
      ...writtenTimes(draft),
      ...work.work,
      ...(allow.length === 0 ? {} : { allow }),
    },
  };
}

function writtenWork(draft: JobDraft): { readonly work: object } | { readonly problem: string } {
  const { tool, prompt, agent, message } = draft;
  switch (draft.what) {
    case "tool":
      if (tool.trim() === "") return { problem: "Say which tool it calls." };
      return writtenInput(draft.input, { tool: tool.trim() });
    case "prompt":
      return prompt.trim() === "" ? { problem: "Say what the model is asked." } : { work: { prompt } };
    case "agent":
      if (agent.trim() === "" || message.trim() === "")
        return { problem: "Say which agent it starts, and with what message." };
      return { work: { agent: agent.trim(), message } };
    case "improve":
      return tool.trim() === "" ? { problem: "Say which tool it improves." } : { work: { improve: tool.trim() } };
  }
}

function writtenInput(text: string, work: object): { readonly work: object } | { readonly problem: string } {
  try {
    const input: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (typeof input === "object" && input !== null && !Array.isArray(input)) return { work: { ...work, input } };
  } catch {
    // said below
  }
  return { problem: 'The input is a JSON object, such as {"text": "hello"}.' };
}
