import type {
  Answer,
  Approve,
  Ask,
  GrantScope,
  InboxEntry,
  InboxOrigin,
  InboxQuery,
  InboxStore,
  Question,
  Settlement,
} from "../../core/approval.ts";
import type { Clock } from "../../core/clock.ts";
import { createId } from "../../core/ids.ts";
import type { ProcessIdentity } from "../../core/process.ts";

export interface InboxOptions {
  readonly store: InboxStore;
  readonly clock: Clock;
  readonly owner: ProcessIdentity;
  /** Of this machine; a store that several share knows better. */
  readonly isAlive: (owner: ProcessIdentity) => boolean;
  /** Takes secrets out before anything is kept. */
  readonly mask: <Value>(value: Value) => Value;
  /** What is known of the call that asks; nothing where it is left out. */
  readonly findAsker?: (call: Pick<InboxEntry, "executionId" | "conversationId">) => Asker | undefined;
  /** Told of what waits now. */
  readonly onAdded?: (entry: Pick<InboxEntry, "id" | "kind" | "executionId">) => void;
}

export interface Asker {
  readonly conversationId: string | null;
  readonly origin: InboxOrigin;
}

export type Settled =
  | { readonly ok: true; readonly entry: InboxEntry }
  /** Why it could not be settled, in one sentence. */
  | { readonly ok: false; readonly problem: string };

export interface Inbox {
  /** Waits until a person answers; the way for a runtime without one. */
  readonly ask: Ask;
  readonly approve: Approve;
  /** At most 100 when no limit is given. */
  list(query?: Partial<InboxQuery>): Promise<InboxEntry[]>;
  get(id: string): Promise<InboxEntry | undefined>;
  answer(id: string, given: GivenAnswer, who: string): Promise<Settled>;
  decide(
    id: string,
    decision: { readonly allow: boolean; readonly scope?: GrantScope; readonly reason?: string },
    who: string,
  ): Promise<Settled>;
  /** Another number whenever something may have been added or settled, also by another process. */
  revision(): number;
  /** Stops looking; what waits stays as it is. */
  close(): void;
}

export function createInbox(options: InboxOptions): Inbox {
  const { store, clock } = options;
  const waiting: Waiting = waitForSettlement(options);

  async function wait(
    entry: Pick<InboxEntry, "kind" | "executionId" | "conversationId" | "question" | "approval">,
    signal: AbortSignal,
  ): Promise<Settlement> {
    const createdAt = clock.now();
    const id = createId("ask", createdAt);
    const asker = options.findAsker?.(entry);
    const from = {
      conversationId: entry.conversationId ?? asker?.conversationId ?? null,
      origin: asker?.origin ?? null,
    };
    const unsettled = { state: "waiting", settledAt: null, settlement: null } as const;
    await store.add({ ...options.mask({ ...entry, ...from }), id, createdAt, ...unsettled, owner: options.owner });
    options.onAdded?.({ id, kind: entry.kind, executionId: entry.executionId });
    return waiting.until(id, signal);
  }

  async function isAlive(owner: ProcessIdentity): Promise<boolean> {
    return store.shared ? store.shared.isAlive(owner) : options.isAlive(owner);
  }

  async function find(id: string, kind: InboxEntry["kind"]): Promise<Settled> {
    const entry = await store.get(id);
    if (!entry) return { ok: false, problem: `There is nothing with the id ${id} in the inbox.` };
    if (entry.kind !== kind) return { ok: false, problem: wrongKind[entry.kind] };
    if (entry.state !== "waiting") return { ok: false, problem: alreadySettled(entry) };
    if (entry.owner && !(await isAlive(entry.owner))) {
      await store.settle(id, settlementOf("abandoned"), clock.now());
      return { ok: false, problem: "The process that asked this has ended; nobody waits for the answer any more." };
    }
    return { ok: true, entry };
  }

  async function settle(entry: InboxEntry, settlement: Settlement): Promise<Settled> {
    const isFirst = await store.settle(entry.id, settlement, clock.now());
    const now = (await store.get(entry.id)) ?? entry;
    return isFirst ? { ok: true, entry: now } : { ok: false, problem: alreadySettled(now) };
  }

  return {
    async ask(question, { executionId, signal }) {
      const entry = { kind: "question", executionId, conversationId: null, question, approval: null } as const;
      const { answer } = await wait(entry, signal);
      return answer ?? { answered: false, reason: "cancelled" };
    },
    async approve(approval, signal) {
      const { executionId, conversationId } = approval;
      const entry = { kind: "approval", executionId, conversationId, question: null, approval } as const;
      const { state, scope, who, reason } = await wait(entry, signal);
      if (state === "approved") return { decision: "allow", scope: scope ?? "once", who: who ?? "" };
      if (state === "denied") return { decision: "deny", who: who ?? "", ...(reason === null ? {} : { reason }) };
      return { decision: "unanswered", reason: "cancelled" };
    },
    async list(query = {}) {
      const entries = await store.list({ limit: 100, ...query });
      return Promise.all(entries.map(noticeAbandoned));
    },
    async get(id) {
      const entry = await store.get(id);
      return entry && noticeAbandoned(entry);
    },
    async answer(id, given, who) {
      const found = await find(id, "question");
      if (!found.ok) return found;
      const read = readAnswer(found.entry.question!, given);
      if (!read.ok) return read;
      return settle(found.entry, { ...settlementOf("answered", who), answer: options.mask(read.answer) });
    },
    async decide(id, { allow, scope = "once", reason }, who) {
      const found = await find(id, "approval");
      if (!found.ok) return found;
      const offered = found.entry.approval!.scopes;
      if (allow && !offered.includes(scope)) {
        return { ok: false, problem: `"${scope}" is not offered here; it can be allowed: ${offered.join(", ")}.` };
      }
      const state = allow ? "approved" : "denied";
      return settle(found.entry, {
        ...settlementOf(state, who),
        scope: allow ? scope : null,
        reason: reason === undefined ? null : options.mask(reason),
      });
    },
    revision: () => store.revision(),
    close: () => waiting.close(),
  };

  async function noticeAbandoned(entry: InboxEntry): Promise<InboxEntry> {
    if (entry.state !== "waiting" || !entry.owner || (await isAlive(entry.owner))) return entry;
    await store.settle(entry.id, settlementOf("abandoned"), clock.now());
    return (await store.get(entry.id)) ?? entry;
  }
}

const wrongKind: Record<InboxEntry["kind"], string> = {
  question: "This is a question: it is answered, not approved or denied.",
  approval: "This is an approval: it is approved or denied, not answered.",
};

function alreadySettled({ state, settlement }: InboxEntry): string {
  return `It is settled already: ${state}${settlement?.who ? ` by ${settlement.who}` : ""}.`;
}

/** What a person gave: numbers from the list, from 1 on, or text. */
interface GivenAnswer {
  readonly text?: string;
  readonly options?: readonly number[];
  /** The text is meant as it is: a number in it chooses nothing. */
  readonly isVerbatim?: boolean;
}

export type ReadAnswer =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly problem: string };

/** Turns what a person typed into an answer, or says what is wrong with it. It never chooses for them. */
export function readAnswer(question: Question, answer: GivenAnswer): ReadAnswer {
  const { text, options: numbers = [], isVerbatim = false } = answer;
  const { options = [], multiple = false, other = false } = question;
  const given = text?.trim() ?? "";
  if (options.length === 0) {
    if (numbers.length > 0) return wrong("This question has no list to choose from; answer with text.");
    return given === ""
      ? wrong("The answer is empty; give a text.")
      : { ok: true, answer: { answered: true, text: given } };
  }
  const byText = options.findIndex((option) => option === given);
  const written = isVerbatim ? [] : numbersIn(given, options.length);
  const chosen = numbers.length > 0 ? [...new Set(numbers)] : byText >= 0 ? [byText + 1] : written;
  const range = `1 to ${options.length}`;
  if (chosen.length === 0) {
    if (given === "") return wrong(`The answer is empty; choose ${range}.`);
    if (other) return { ok: true, answer: { answered: true, text: given } };
    return wrong(`"${given}" is not one of the options; choose ${range}.`);
  }
  const beyond = chosen.find((number) => !Number.isInteger(number) || number < 1 || number > options.length);
  if (beyond !== undefined) return wrong(`There is no option ${beyond}; choose ${range}.`);
  if (chosen.length > 1 && !multiple) return wrong("Only one option can be chosen.");
  const selected = chosen.map((number) => options[number - 1]!);
  // Both at once, and they differ: either of them may be what was meant.
  if (numbers.length > 0 && given !== "" && given !== selected.join(", ")) {
    return wrong(`The options say "${selected.join(", ")}" and the text says "${given}"; give one of them.`);
  }
  return { ok: true, answer: { answered: true, text: selected.join(", "), selected } };
}

/** `2`, or `1,3` and `1 3` for several. */
function numbersIn(text: string, most: number): number[] {
  if (!/^\d{1,3}([\s,]+\d{1,3})*$/.test(text)) return [];
  const numbers = [...new Set(text.split(/[\s,]+/).map(Number))];
  return numbers.length <= most ? numbers : [most + 1];
}

function wrong(problem: string): ReadAnswer {
  return { ok: false, problem };
}

/** How soon an answer from another process is noticed, at the latest. */
const pollMs = 200;

interface Waiting {
  /** Resolves when somebody settled it, or withdraws it when the signal fires. */
  until(id: string, signal: AbortSignal): Promise<Settlement>;
  close(): void;
}

/** One timer for all that wait here; asks the store only when it changed. */
function waitForSettlement({ store, clock }: InboxOptions): Waiting {
  const waiters = new Map<string, (settlement: Settlement) => void>();
  let cancelTimer: (() => void) | undefined;
  let seen = Number.NaN;
  let isClosed = false;

  async function look(): Promise<void> {
    try {
      const revision = store.revision();
      if (revision !== seen) {
        for (const [id, resolve] of waiters) {
          const entry = await store.get(id);
          if (entry?.settlement) resolve(entry.settlement);
        }
        seen = revision;
      }
    } catch {
      // A store that can't be read now is asked again: an answer is never made up.
      seen = Number.NaN;
    }
    plan();
  }

  function plan(): void {
    cancelTimer = undefined;
    if (waiters.size > 0 && !isClosed) cancelTimer = clock.after(pollMs, () => void look());
  }

  return {
    until(id, signal) {
      return new Promise((resolve) => {
        const finish = (settlement: Settlement): void => {
          if (!waiters.delete(id)) return;
          signal.removeEventListener("abort", withdraw);
          resolve(settlement);
        };
        const withdraw = (): void => {
          const withdrawn = settlementOf("withdrawn");
          // The call is over either way; an entry that can't be settled now is found abandoned later.
          store.settle(id, withdrawn, clock.now()).catch(() => undefined);
          finish(withdrawn);
        };
        waiters.set(id, finish);
        signal.addEventListener("abort", withdraw, { once: true });
        if (signal.aborted) withdraw();
        else {
          seen = Number.NaN;
          if (!cancelTimer) plan();
        }
      });
    },
    close() {
      isClosed = true;
      cancelTimer?.();
    },
  };
}

function settlementOf(state: Settlement["state"], who: string | null = null): Settlement {
  return { state, who, answer: null, scope: null, reason: null };
}
