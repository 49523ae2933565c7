import type { Readable, Writable } from "node:stream";
import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { inOneSentence } from "./offer-tool.ts";

/** A job for an agent may well be a whole file, but not a disk. */
export const maxMessageBytes = 32 * 1024 * 1024;
/** Who pipes requests in and is done still wants the answers; who has died does not. */
const lingerMs = 10_000;
const newline = 10;

export interface LineTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly clock: Clock;
  /** Told once, when the first answer is on its way. */
  readonly onFirstAnswer: () => void;
}

/**
 * One JSON-RPC message per line, or a batch of them, both ways. A line that is no message gets an error in one sentence and the next one is read;
 * a line that is too long is not even kept. Ends when the input ends and what was asked is answered: with its result, or after a while
 * with an error.
 */
export function createLineTransport({ input, output, clock, onFirstAnswer }: LineTransportOptions): Transport {
  const unanswered = new Set<string | number>();
  const batches = createBatches(write);
  let pieces: Buffer[] = [];
  let size = 0;
  let isClosed = false;
  let hasAnswered = false;
  let hasEnded = false;
  let stopLingering: (() => void) | undefined;

  function read(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0 && !isClosed; end = chunk.indexOf(newline, from)) {
      keep(chunk.subarray(from, end));
      takeLine();
      from = end + 1;
    }
    keep(chunk.subarray(from));
  }

  function keep(piece: Buffer): void {
    size += piece.length;
    if (size > maxMessageBytes) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  }

  function takeLine(): void {
    const length = size;
    const line = length > maxMessageBytes ? "" : Buffer.concat(pieces).toString("utf8").trim();
    pieces = [];
    size = 0;
    if (length > maxMessageBytes) {
      complain(
        invalidRequest,
        `A message has at most ${maxMessageBytes} bytes, this one had ${length}; send less at once.`,
      );
    } else if (line !== "") take(line);
  }

  function take(line: string): void {
    let given: unknown;
    try {
      given = JSON.parse(line);
    } catch (thrown) {
      return complain(
        parseError,
        `This line is not JSON (${messageOf(thrown).slice(0, 200)}); send one JSON-RPC message per line.`,
      );
    }
    if (Array.isArray(given) && given.length > 0) return takeBatch(given);
    const message = readMessage(given);
    if (message) deliver(message);
    else complain(invalidRequest, noMessage, idIn(given));
  }

  function takeBatch(batch: readonly unknown[]): void {
    if (batch.length > mostInBatch) {
      const told = `A batch has at most ${mostInBatch} messages, this one had ${batch.length}; send less at once.`;
      return complain(invalidRequest, told);
    }
    const ids = new Set<string | number>();
    const problems: object[] = [];
    const messages = batch.flatMap((given) => {
      const message = readMessage(given);
      const id = message && "method" in message && "id" in message ? message.id : undefined;
      const isTaken = id !== undefined && (ids.has(id) || unanswered.has(id));
      if (!message || isTaken) problems.push(tellWrong(invalidRequest, isTaken ? idInUse : noMessage, idIn(given)));
      else if (id !== undefined) ids.add(id);
      return message && !isTaken ? [message] : [];
    });
    batches.open(ids, problems);
    for (const message of messages) deliver(message);
  }

  function deliver(message: JSONRPCMessage): void {
    if ("method" in message) {
      if ("id" in message) unanswered.add(message.id);
      else if (message.method === "notifications/cancelled")
        cancelled((message.params as { requestId?: string | number } | undefined)?.requestId);
    }
    transport.onmessage?.(message);
  }

  function complain(code: number, message: string, id: string | number | null = null): void {
    transport.onerror?.(new Error(message));
    write(tellWrong(code, message, id));
  }

  function write(document: object): boolean {
    return output.write(`${JSON.stringify(document)}\n`);
  }

  function cancelled(id: string | number | undefined): void {
    if (id !== undefined) batches.forget(id);
    answered(id);
  }

  function answered(id: string | number | undefined): void {
    if (id !== undefined) unanswered.delete(id);
    if (hasEnded && unanswered.size === 0) void transport.close();
  }

  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    takeLine();
    if (unanswered.size === 0) void transport.close();
    else stopLingering = clock.after(lingerMs, giveUp);
  }

  function giveUp(): void {
    for (const id of unanswered) {
      const ready = batches.answer(id, tellWrong(requestStopped, inputClosed, id));
      if (ready) write(ready);
    }
    void transport.close();
  }

  function fail(error: Error): void {
    if (!isClosed) transport.onerror?.(error);
    void transport.close();
  }

  const transport: Transport = {
    start() {
      input.on("data", read).on("end", end).on("close", end).on("error", fail);
      output.on("error", fail);
      if (input.readableEnded || input.destroyed) setImmediate(end);
      return Promise.resolve();
    },
    async send(message) {
      if (isClosed) throw new Error("The connection is closed.");
      const isAnswer = !("method" in message);
      const told = inOneSentence(message);
      const ready = isAnswer ? batches.answer(message.id, told) : told;
      const isTaken = ready === undefined || write(ready);
      if (isAnswer && !hasAnswered) {
        hasAnswered = true;
        onFirstAnswer();
      }
      if (!isTaken) await drained(output);
      if (isAnswer) answered(message.id);
    },
    close() {
      if (isClosed) return Promise.resolve();
      isClosed = true;
      stopLingering?.();
      input.off("data", read).off("end", end).off("close", end);
      input.pause();
      transport.onclose?.();
      return Promise.resolve();
    },
  };
  return transport;
}

const parseError = -32_700;
const invalidRequest = -32_600;
const requestStopped = -32_000;

const noMessage = "This line is JSON, but not one JSON-RPC 2.0 message; send an object with jsonrpc, method and id.";
const inputClosed = `Stopped: the input was closed ${lingerMs / 1000} s ago. Keep it open until the answer arrives.`;
const idInUse = "Another request has this id and is not answered yet; give each request its own.";

function readMessage(given: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(given);
  } catch {
    return undefined;
  }
}

function tellWrong(code: number, message: string, id: string | number | null): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** Whoever waits for an answer to it is to get one. */
function idIn(given: unknown): string | number | null {
  const id = (given as { readonly id?: unknown } | null)?.id;
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : null;
}

/** Also when it will never be: a reader that is gone is told of by the stream's error. */
function drained(output: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const settle = (): void => {
    output.off("drain", settle).off("error", settle).off("close", settle);
    resolve();
  };
  output.on("drain", settle).on("error", settle).on("close", settle);
  return promise;
}

type Id = string | number;

interface Batch {
  readonly answers: object[];
  readonly waitsFor: Set<Id>;
}

/** More in one line would be answered with more than anyone reads. */
const mostInBatch = 1000;

/**
 * Several messages in one line, which revision 2025-03-26 allows and every server of it has to take. What answers them goes back in
 * one line as well, once all of it is there; where nothing is to be answered, nothing goes back.
 */
export interface Batches {
  /** `answers`: what can be said of it already. To be called before any of its requests is passed on. */
  open(waitsFor: ReadonlySet<Id>, answers: readonly object[]): void;
  /** What there is to be sent now: the answer itself if it belongs to no batch, the whole batch, or nothing yet. */
  answer(id: Id | undefined, answer: object): object | undefined;
  /** No answer will come to this request. */
  forget(id: Id): void;
}

function createBatches(send: (answers: readonly object[]) => void): Batches {
  const byId = new Map<Id, Batch>();

  function take(id: Id): Batch | undefined {
    const batch = byId.get(id);
    batch?.waitsFor.delete(id);
    byId.delete(id);
    return batch;
  }

  function sendIfWhole({ answers, waitsFor }: Batch): void {
    if (waitsFor.size === 0 && answers.length > 0) send(answers);
  }

  return {
    open(waitsFor, answers) {
      const batch: Batch = { waitsFor: new Set(waitsFor), answers: [...answers] };
      for (const id of waitsFor) byId.set(id, batch);
      sendIfWhole(batch);
    },
    answer(id, answer) {
      const batch = id === undefined ? undefined : take(id);
      if (!batch) return answer;
      batch.answers.push(answer);
      return batch.waitsFor.size === 0 ? batch.answers : undefined;
    },
    forget(id) {
      const batch = take(id);
      if (batch) sendIfWhole(batch);
    },
  };
}
