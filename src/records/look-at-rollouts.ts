import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { RolloutStore } from "../core/stores.ts";
import { createMemoryRolloutStore } from "./memory/memory-rollout-store.ts";
import { openToLook } from "./sqlite/inspect-database.ts";
import { decodeDocument } from "./rollout-body.ts";
import { fromKey } from "./store-rules.ts";

/**
 * The documents of a store as they are now, for whoever only looks: what is written stays in memory. Empty when there is no
 * store, or when it can't be read.
 */
export async function lookAtRollouts(path: string): Promise<RolloutStore> {
  const store = createMemoryRolloutStore();
  const documents = readDocuments(path);
  await store.change((transaction) => {
    for (const [name, document] of documents) transaction.writeDocument(name, document);
  });
  return store;
}

function readDocuments(path: string): [name: string, document: unknown][] {
  let database: DatabaseSync | undefined;
  try {
    // A pipe by that name would be waited for without end.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
    database = openToLook(path);
    return (
      database
        .prepare("SELECT name, body FROM rollout_documents")
        .all()
        // What is damaged is there all the same: whoever looks is to know.
        .map((row) => [fromKey(String(row["name"])), decodeDocument(row["body"]) ?? null] as [string, unknown])
    );
  } catch {
    return []; // Whoever wants to use it is told what is wrong.
  } finally {
    database?.close();
  }
}
