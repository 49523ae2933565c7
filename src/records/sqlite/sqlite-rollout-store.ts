import type { RolloutReader, RolloutStore, RolloutTransaction } from "../../core/stores.ts";
import type { Connection, Row } from "./sqlite-connection.ts";
import type { Database } from "./database.ts";
import {
  decodeDocument,
  decodeEvent,
  decodeFeedback,
  encodeDocument,
  encodeEvent,
  encodeFeedback,
} from "../rollout-body.ts";
import { fromKey, keyRange, mostEvents, mostSignatures, runAtOnce, toKey, wholeLimit } from "../store-rules.ts";

/** Over a database that other stores share. */
export function createSqliteRolloutStore(database: Database): RolloutStore {
  let revision = 0;
  let seenVersion = Number.NaN;

  return {
    ...createReader((read) => database.readNow(read)),
    revision() {
      const version = database.dataVersion();
      if (version !== seenVersion) revision += 1;
      seenVersion = version;
      return revision;
    },
    change: (work) =>
      database.write((connection) => {
        // Our own writes do not change `data_version`. Before the commit: nobody can look in between.
        const onWritten = (): void => void (revision += 1);
        return runAtOnce(work, createTransaction(connection, onWritten));
      }),
  };
}

type Read = <Result>(read: (connection: Connection) => Result) => Result;

function createReader(read: Read): RolloutReader {
  return {
    readDocument: (name) => decodeDocument(read((connection) => connection.get(selectDocument, toKey(name)))?.["body"]),
    listDocuments: (prefix) =>
      read((connection) => connection.all(selectNames, ...keyRange(prefix)))
        .map((row) => fromKey(String(row["name"])))
        .filter((name) => name.startsWith(prefix))
        .sort(),
    findMark(rolloutId, key) {
      const row = read((connection) => connection.get(selectMark, toKey(rolloutId), toKey(key)));
      return row && (row["mark"] === "failed" ? "failed" : "seen");
    },
    listEvents({ tool, limit, beforeId = Infinity }) {
      const page = [beforeId, wholeLimit(limit)] as const;
      const rows = read((connection) =>
        tool === undefined
          ? connection.all(selectEvents, ...page)
          : connection.all(selectEventsOfTool, toKey(tool), ...page),
      );
      return rows.flatMap((row) => {
        const { id, body, figures } = row;
        return decodeEvent(Number(id), { body, figures }) ?? [];
      });
    },
    listFeedback({ tool, limit, version }) {
      const rows = read((connection) =>
        version === undefined
          ? connection.all(selectFeedback, toKey(tool), wholeLimit(limit))
          : connection.all(selectFeedbackOfVersion, toKey(tool), toKey(version), wholeLimit(limit)),
      );
      return rows.flatMap((row) => feedbackFromRow(row) ?? []);
    },
  };
}

function createTransaction(connection: Connection, onWritten: () => void): RolloutTransaction {
  const reader = createReader((read) => read(connection));
  const run: Connection["run"] = (sql, ...parameters) => {
    const changed = connection.run(sql, ...parameters);
    if (changed > 0) onWritten();
    return changed;
  };

  return {
    ...reader,
    writeDocument: (name, document) => void run(upsertDocument, toKey(name), encodeDocument(name, document)),
    removeDocuments(prefix) {
      for (const name of reader.listDocuments(prefix)) run(deleteDocument, toKey(name));
    },
    mark: (rolloutId, key, mark) => void run(upsertMark, toKey(rolloutId), toKey(key), mark),
    removeMarks: (rolloutId) => void run(deleteMarks, toKey(rolloutId)),
    addEvent(event) {
      const tool = toKey(event.tool);
      const { body, figures } = encodeEvent(event);
      run(insertEvent, tool, body, figures);
      run(pruneEvents, tool, tool, mostEvents);
    },
    addFeedback(feedback) {
      const { lastAt } = feedback;
      const [tool, ...rest] = [feedback.tool, feedback.version, feedback.signature].map(toKey);
      const known = connection.get(selectKnown, tool, ...rest);
      const count = Number(known?.["count"] ?? 0) + 1;
      const firstAt = Number(known?.["first_at"] ?? lastAt);
      run(replaceFeedback, tool, ...rest, count, firstAt, lastAt, encodeFeedback(feedback));
      run(pruneFeedback, tool, tool, mostSignatures);
    },
  };
}

function feedbackFromRow(row: Row): ReturnType<typeof decodeFeedback> {
  return decodeFeedback({
    count: Number(row["count"]),
    firstAt: Number(row["first_at"]),
    lastAt: Number(row["last_at"]),
    body: String(row["body"]),
  });
}

const selectDocument = "SELECT body FROM rollout_documents WHERE name = ?";
const selectNames = "SELECT name FROM rollout_documents WHERE name >= ? AND name < ?";
const upsertDocument = `
  INSERT INTO rollout_documents (name, body) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body`;
const deleteDocument = "DELETE FROM rollout_documents WHERE name = ?";

const selectMark = "SELECT mark FROM rollout_marks WHERE rollout_id = ? AND sticky_key = ?";
const upsertMark = `
  INSERT INTO rollout_marks (rollout_id, sticky_key, mark) VALUES (?, ?, ?)
  ON CONFLICT (rollout_id, sticky_key) DO UPDATE SET mark = 'failed' WHERE excluded.mark = 'failed' AND mark <> 'failed'`;
const deleteMarks = "DELETE FROM rollout_marks WHERE rollout_id = ?";

const selectEvents = "SELECT id, body, figures FROM rollout_events WHERE id < ? ORDER BY id DESC LIMIT ?";
const selectEventsOfTool = `
  SELECT id, body, figures FROM rollout_events WHERE tool = ? AND id < ? ORDER BY id DESC LIMIT ?`;
const insertEvent = "INSERT INTO rollout_events (tool, body, figures) VALUES (?, ?, ?)";
const pruneEvents = `
  DELETE FROM rollout_events WHERE tool = ?
    AND id <= (SELECT id FROM rollout_events WHERE tool = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`;

const selectFeedback = `
  SELECT count, first_at, last_at, body FROM tool_feedback WHERE tool = ? ORDER BY count DESC, id DESC LIMIT ?`;
const selectFeedbackOfVersion = `
  SELECT count, first_at, last_at, body FROM tool_feedback
  WHERE tool = ? AND version = ? ORDER BY count DESC, id DESC LIMIT ?`;
const selectKnown = "SELECT count, first_at FROM tool_feedback WHERE tool = ? AND version = ? AND signature = ?";
const replaceFeedback = `
  INSERT OR REPLACE INTO tool_feedback (tool, version, signature, count, first_at, last_at, body)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const pruneFeedback = `
  DELETE FROM tool_feedback WHERE tool = ?
    AND id <= (SELECT id FROM tool_feedback WHERE tool = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`;
