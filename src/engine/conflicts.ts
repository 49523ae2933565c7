import type { Access } from "../core/tool.ts";
import { joinSteps, type Step } from "./batch-node.ts";

/** A place in the tree of everything that can be touched: a path's segments, or a name's. */
export interface Touch {
  readonly segments: readonly string[];
  readonly access: Access;
}

/** Makes each call wait for the earlier ones that it conflicts with. */
export interface ConflictTracker {
  add(step: Step, touches: readonly Touch[]): void;
}

/**
 * Two touches conflict when one of them writes and one's place is the other's or lies above it. Above counts, because
 * `write a/b` makes the folder `a` that `list a` shows, and `write a` as a file makes `a/b` impossible.
 *
 * Each place knows what touched it and what touched places below it, so nobody searches the tree. The cost of a call
 * is the depth of its paths, whatever came before.
 */
export function createConflictTracker(): ConflictTracker {
  const root = new Place();
  return {
    add(step, touches) {
      // First wait, then enter: a call does not wait for itself.
      for (const touch of touches) waitForConflicts(root, touch, step);
      for (const touch of touches) enter(root, touch, step);
    },
  };
}

function waitForConflicts(root: Place, { segments, access }: Touch, step: Step): void {
  let place: Place | undefined = root;
  for (let depth = 0; place; depth++) {
    if (place.writer) step.waitFor(place.writer);
    if (access === "write") place.readers.letWait(step);
    if (depth === segments.length) {
      place.writersBelow.letWait(step);
      if (access === "write") place.readersBelow.letWait(step);
      return;
    }
    place = place.children?.get(segments[depth]!);
  }
}

function enter(root: Place, { segments, access }: Touch, step: Step): void {
  let place = root;
  for (const segment of segments) {
    (access === "write" ? place.writersBelow : place.readersBelow).add(step);
    place.children ??= new Map();
    let child = place.children.get(segment);
    if (!child) place.children.set(segment, (child = new Place()));
    place = child;
  }
  if (access === "read") place.readers.add(step);
  // The writer waits for all that touched this place or one below; whoever comes later to any of these meets the
  // writer, so the others need not be remembered.
  else place.restart(step);
}

class Place {
  children: Map<string, Place> | undefined;
  /** The last call that wrote here. */
  writer: Step | undefined;
  /** The calls that read here since then. */
  readers = new Crowd();
  writersBelow = new Crowd();
  readersBelow = new Crowd();

  restart(writer: Step): void {
    this.writer = writer;
    this.children = undefined;
    this.readers = new Crowd();
    this.writersBelow = new Crowd();
    this.readersBelow = new Crowd();
  }
}

/** Steps that are only ever waited for together. Each is joined once, however many wait for them. */
class Crowd {
  #steps: Step[] = [];

  add(step: Step): void {
    if (this.#steps.at(-1) !== step) this.#steps.push(step);
  }

  letWait(step: Step): void {
    if (this.#steps.length > 1) this.#steps = [joinSteps(this.#steps)];
    if (this.#steps.length === 1) step.waitFor(this.#steps[0]!);
  }
}
