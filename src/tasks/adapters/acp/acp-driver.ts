// The program that speaks with an ACP agent for one task: `acp-driver ORDER_FILE`. Its stdin and stdout are the agent's
// output and input; what happens goes to 3, a JSON line each. Started by the task manager only.
import { createWriteStream, readFileSync, writeSync } from "node:fs";
import { holdSession, type DriverEvent, type DriverOrder } from "./acp-session.ts";

/** How long an agent may take to end once nobody speaks to it any more. */
const patienceMs = 2000;

const order = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as DriverOrder;
let isOk = false;
// Not process.stdout: that writes to a pipe synchronously, and two programs that both wait to write would wait for ever.
const output = createWriteStream("", { fd: 1 });
await holdSession(order, { input: process.stdin, output }, tell);
process.exit(isOk ? 0 : 1);

function tell(event: DriverEvent): void {
  writeSync(3, `${JSON.stringify(event)}\n`);
  if (event.type !== "end") return;
  isOk = event.ok;
  setTimeout(() => process.exit(isOk ? 0 : 1), patienceMs);
}
