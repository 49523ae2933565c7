import { connect } from "node:net";
import type { Clock } from "../../core/clock.ts";
import type { StartError } from "../run/run-request.ts";
import { wait } from "../stop/wait.ts";

/** How to tell that a background process is up: words in its output, or a port on this machine that answers. */
export type Readiness = { readonly text: string } | { readonly port: number };

/** Feeds on pieces of output; true once the words were there, also across pieces and colours. Never a pattern. */
export function createTextFinder(text: string): (piece: string) => boolean {
  let before = "";
  let found = false;
  return (piece) => {
    if (found) return true;
    const all = before + piece;
    found = all.includes(text) || all.replaceAll(colours, "").includes(text);
    before = all.slice(-(4 * text.length + 256));
    return found;
  };
}

// oxlint-disable-next-line no-control-regex -- the sequences that programs put between words to colour them
const colours = /\u001b\[[0-9;:?]*[ -/]*[@-~]/g;

/** Why this can't tell when a process that is yet to be started is ready, or null. */
export async function findReadinessProblem(clock: Clock, readiness: Readiness): Promise<StartError | null> {
  if ("text" in readiness) {
    const message = "The text to wait for is empty; give words of the output.";
    return readiness.text === "" ? { code: "EINVAL", message } : null;
  }
  const { port } = readiness;
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    return { code: "EINVAL", message: `A port is a whole number from 1 to 65535; got ${port}.` };
  }
  if (!(await portAnswers(clock, port))) return null;
  const message = `Port ${port} answers already, so it can't tell when the new process is ready; stop what uses it, or choose another port.`;
  return { code: "EADDRINUSE", message };
}

/** Resolves when the port answers on 127.0.0.1 or ::1; gives up when `stopped` says so. */
export async function waitForPort(clock: Clock, port: number, stopped: () => boolean): Promise<boolean> {
  while (!stopped()) {
    if (await portAnswers(clock, port)) return true;
    await wait(clock, 50);
  }
  return false;
}

async function portAnswers(clock: Clock, port: number): Promise<boolean> {
  const answers = await Promise.all(["127.0.0.1", "::1"].map((host) => answersOn(clock, host, port)));
  return answers.includes(true);
}

function answersOn(clock: Clock, host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (answers: boolean): void => {
      cancel();
      socket.destroy();
      resolve(answers);
    };
    const cancel = clock.after(1000, () => finish(false));
    socket.once("connect", () => finish(true));
    socket.once("error", () => finish(false));
  });
}
