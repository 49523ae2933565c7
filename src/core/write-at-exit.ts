const writers = new Set<() => void>();

/** Calls back when the process exits, so that what is still queued is not lost. Returns the way out. */
export function writeAtExit(write: () => void): () => void {
  // One listener for all: a program may have many runtimes, and Node warns about the eleventh.
  if (writers.size === 0) process.on("exit", writeAll);
  writers.add(write);
  return () => {
    writers.delete(write);
    if (writers.size === 0) process.off("exit", writeAll);
  };
}

function writeAll(): void {
  for (const write of writers) write();
}
