import { toWire } from "../../../core/wire.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Narrator } from "./narrator.ts";

/** One JSON document per line, what came of it all last. */
export function createJsonNarrator({ printJsonLine }: Pick<Terminal, "printJsonLine">): Narrator {
  const print = (document: unknown): void => printJsonLine(toWire(document));
  return {
    open: ({ sandbox }) => print({ type: "demo:started", sandbox }),
    async begin({ name, title, prompt }) {
      print({ type: "scene:started", name, title, prompt });
    },
    agent: print,
    runtime(event) {
      if (event.type === "approval:asked" || event.type === "approval:settled") print(event);
    },
    observed: (name, { facts }) => print({ type: "scene:ended", name, facts }),
    end: (report) => print({ type: "demo:ended", ...report }),
  };
}
