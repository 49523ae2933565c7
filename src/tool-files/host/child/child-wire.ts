import { writeSync } from "node:fs";
import { Socket } from "node:net";
import type { FromHost, ToHost } from "../host-protocol.ts";

const input = 3;
const output = 4;
// A tool may replace what it likes in its own process.
const { stringify, parse } = JSON;

/** Returns once the message is on its way: what the tool does next can't hold it back. */
export function send(message: FromHost): void {
  const bytes = Buffer.from(`${stringify(message)}\n`);
  try {
    for (let sent = 0; sent < bytes.length;) sent += writeSync(output, bytes, sent);
  } catch {
    // Nobody listens any more.
    process.kill(process.pid, "SIGKILL");
  }
}

export function listen(onMessage: (message: ToHost) => void, onEnd: () => void): void {
  const socket = new Socket({ fd: input, readable: true, writable: false });
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (piece: string) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    for (const line of lines) onMessage(parse(line) as ToHost);
  });
  socket.on("error", onEnd);
  socket.on("end", onEnd);
}
