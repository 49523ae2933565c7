import type { MaskStream } from "../core/mask.ts";
import type { Progress } from "../core/tool.ts";
import type { UnbreakableMask } from "./safe-mask.ts";

export interface ProgressMask {
  tell(progress: Progress): void;
  /** Tells what was held back. */
  end(): void;
}

/** Masks the progress of one execution. Each of its streams is masked as one text, so a secret in two pieces is found. */
export function createProgressMask(mask: UnbreakableMask, emit: (progress: Progress) => void): ProgressMask {
  // Most calls report no output: they need not pay for it.
  let streams: Map<Progress["stream"], MaskStream> | undefined;

  function streamOf(name: Progress["stream"]): MaskStream {
    streams ??= new Map();
    let stream = streams.get(name);
    if (!stream) streams.set(name, (stream = mask.stream()));
    return stream;
  }

  return {
    tell(progress) {
      const { output, message, ...more } = progress;
      // A piece that is held back whole still shows life.
      emit({
        ...(isPlain(more) ? more : mask.object(more)),
        ...(output === undefined ? {} : { output: streamOf(progress.stream).push(String(output)) }),
        ...(message === undefined ? {} : { message: mask.text(String(message)) }),
      });
    },
    end() {
      for (const [stream, masked] of streams ?? []) {
        const output = masked.end();
        const more = stream === undefined ? {} : { stream };
        if (output !== "") emit({ ...(isPlain(more) ? more : mask.object(more)), output });
      }
    },
  };
}

/** What the type promises holds no secret; a tool of somebody else may tell more, and in other types. */
function isPlain(more: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(more).every(
    ([key, value]) =>
      ((key === "done" || key === "total") && typeof value === "number") ||
      (key === "stream" && (value === "stdout" || value === "stderr")),
  );
}
