import type { Readable } from "node:stream";
import { readLines } from "../read-json-lines.ts";

export interface ServerSentEvent {
  /** `message` when the server does not say. */
  readonly type: string;
  readonly data: string;
}

/** Calls back with each event of a `text/event-stream`; resolves when it ends, however that happens. */
export function readEvents(stream: Readable, onEvent: (event: ServerSentEvent) => void): Promise<void> {
  let type = "message";
  let data: string[] = [];
  readLines(stream, {
    onLine(line) {
      if (line === "") {
        if (data.length > 0) onEvent({ type, data: data.join("\n") });
        type = "message";
        data = [];
        return;
      }
      const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === "data") data.push(value);
      else if (field === "event") type = value;
    },
    onTooLong: () => void stream.destroy(),
  });
  return new Promise((resolve) => {
    stream.on("error", () => resolve());
    stream.once("close", resolve);
    stream.once("end", resolve);
  });
}
