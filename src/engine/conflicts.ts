import type { Access } from "../core/resource.ts";

/** A place in the tree of everything that can be touched: a path's segments, or a name's. */
export interface Touch {
  readonly segments: readonly string[];
  readonly access: Access;
}

/** Finds, call by call, the earlier calls that a call has to wait for. */
export interface ConflictTracker {
  /** Indices of earlier calls, each once. Transitive ones may be left out: who waits for B waits for what B waits for. */
  add(call: number, touches: readonly Touch[]): number[];
}

/**
 * Two touches conflict when one of them writes and one's place is the other's or lies above it. Above counts, because
 * `write a/b` makes the folder `a` that `list a` shows, and `write a` as a file makes `a/b` impossible.
 */
interface Place {
  children: Map<string, Place> | undefined;
  /** The last call that wrote here. */
  writer: number;
  /** The calls that read here since then. */
  readers: number[];
}

export function createConflictTracker(): ConflictTracker {
  const root = createPlace();
  return {
    add(call, touches) {
      const waitsFor = new Set<number>();
      for (const touch of touches) collect(root, touch, waitsFor);
      for (const touch of touches) enter(root, touch, call);
      return [...waitsFor];
    },
  };
}

function collect(root: Place, { segments, access }: Touch, into: Set<number>): void {
  let place = root;
  collectHere(place, access, into);
  for (const segment of segments) {
    const child = place.children?.get(segment);
    if (!child) return;
    place = child;
    collectHere(place, access, into);
  }
  collectBelow(place, access, into);
}

function collectHere(place: Place, access: Access, into: Set<number>): void {
  if (place.writer >= 0) into.add(place.writer);
  if (access === "write") for (const reader of place.readers) into.add(reader);
}

function collectBelow(place: Place, access: Access, into: Set<number>): void {
  if (!place.children) return;
  for (const child of place.children.values()) {
    collectHere(child, access, into);
    collectBelow(child, access, into);
  }
}

function enter(root: Place, { segments, access }: Touch, call: number): void {
  let place = root;
  for (const segment of segments) {
    place.children ??= new Map();
    let child = place.children.get(segment);
    if (!child) place.children.set(segment, (child = createPlace()));
    place = child;
  }
  if (access === "read") {
    if (place.readers.at(-1) !== call) place.readers.push(call);
    return;
  }
  // The writer waits for all that touched this place or one below; whoever comes later to any of these meets the
  // writer, so the others need not be remembered.
  place.writer = call;
  place.readers = [];
  place.children = undefined;
}

function createPlace(): Place {
  return { children: undefined, writer: -1, readers: [] };
}
