/** What stands in the form, as it was typed. */
export interface OrderDraft {
  readonly agent: string;
  readonly message: string;
  readonly model: string;
  readonly cwd: string;
  readonly timeout: string;
  readonly systemPrompt: string;
}

export type ReadOrder =
  | { readonly ok: true; readonly body: Readonly<Record<string, string | number>> }
  | { readonly ok: false; readonly problem: string };

/** The order for the API, or what is wrong with it. What is empty is left to the daemon. */
export function readOrder({ agent, message, model, cwd, timeout, systemPrompt }: OrderDraft): ReadOrder {
  if (message.trim() === "") return { ok: false, problem: "Say what the agent should do." };
  const seconds = Number(timeout);
  if (timeout.trim() !== "" && !(Number.isFinite(seconds) && seconds >= 1)) {
    return { ok: false, problem: `The limit is a number of seconds, 1 or more; got "${timeout.trim()}".` };
  }
  const body: Record<string, string | number> = { agent, message };
  if (model.trim() !== "") body["model"] = model.trim();
  if (cwd.trim() !== "") body["cwd"] = cwd.trim();
  if (timeout.trim() !== "") body["timeout"] = seconds;
  if (systemPrompt.trim() !== "") body["system_prompt"] = systemPrompt;
  return { ok: true, body };
}
