import type { ImagePart } from "../core/message.ts";
import type { CallOptions } from "../core/call.ts";
import { createActiveCalls } from "../engine/active-calls.ts";
import { createCatalog } from "../engine/catalog.ts";
import { createEngine } from "../engine/engine.ts";
import type { EngineOptions } from "../engine/engine-deps.ts";
import { createImageReader } from "../tools/files/read-image-file.ts";

/** The picture, or why it can't be shown, in a sentence. */
export type ReadImage = (path: string, options?: CallOptions) => Promise<ImagePart | string>;

/** Pictures reach the model past the tools, and are read by a call of `read` all the same: the same rails, and a record. */
export function createReadImage(options: EngineOptions): ReadImage {
  return async (path, call = {}) => {
    let image: ImagePart | undefined;
    const reader = createImageReader((read) => void (image = read));
    const engine = createEngine({ ...options, catalog: createCatalog([reader]), activeCalls: createActiveCalls() });
    const order = { door: "library", ...call, tool: reader.name, input: { file_path: path } } as const;
    const { error, errorType } = await engine.call(order);
    if (errorType === "denied") return `${path} may not be read: ${error}.`;
    return image ?? error ?? `${path} can't be read.`;
  };
}
