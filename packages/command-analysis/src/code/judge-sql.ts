import type { Finding } from "../finding.ts";
import { isConstantCondition } from "./constant-condition.ts";
import { type SqlToken, tokeniseSql } from "./tokenise-sql.ts";

/** Statements and client commands that destroy data, reach the file system or start programs. */
export function judgeSql(text: string): Finding[] {
  return judgeText(text, { isCode: false });
}

/** `isCode`: it stands in a block of the server's own language, where a name after EXECUTE is a variable. */
function judgeText(text: string, place: { readonly isCode: boolean }): Finding[] {
  const findings: Finding[] = [];
  const add = (rule: string, reason: string, command: string): void => {
    if (!findings.some((finding) => finding.rule === rule)) findings.push({ verdict: "danger", rule, reason, command });
  };
  for (const line of text.split("\n")) {
    const client = findClientCommand(line.trim());
    if (client !== null) add("sql.client-command", client, line.trim());
  }
  if (/\\gexec\b/.test(text)) add("sql.generated", "It runs what a query returns as statements.", text.slice(0, 400));
  for (const statement of tokeniseSql(text)) {
    for (const [rule, reason] of judgeStatement(statement)) add(rule, reason, showStatement(statement));
    if (runsBuiltText(statement, place))
      add("sql.generated", "It runs a statement that is put together only then.", showStatement(statement));
  }
  return findings;
}

function findClientCommand(line: string): string | null {
  if (/^\\!|^\\o\s*\||^\\g\s*\||^\\copy\b.*\bprogram\b|^\\w\s*\|/i.test(line))
    return "The database client starts a shell command.";
  if (/^\.(?:sh|she|shel|shell|sy|sys|syst|syste|system)\b/i.test(line))
    return "The database client starts a shell command.";
  if (/^\.(?:load|output\s*\||once\s*(?:\||-)|import\s+["']?\||open\s*\|)/i.test(line))
    return "The database client loads code or starts a program.";
  if (/^(?:system|host)\s+\S/i.test(line) && !/^(?:system|host)\s*[=(]/i.test(line))
    return "The database client starts a shell command.";
  return null;
}

/** Far more than anybody writes in one statement; each may need a look at all that follows. */
const mostVerbs = 100;

type Judged = readonly (readonly [rule: string, reason: string])[];

function judgeStatement(tokens: readonly SqlToken[]): Judged {
  const found: [string, string][] = [];
  const words = tokens.map((token) => (token.kind === "word" || token.kind === "symbol" ? token.text : ""));
  const verbs = findVerbs(words);
  if (words.includes("DETACH") && words.includes("DELETE") && !words.includes("WHERE"))
    found.push(["sql.delete-all", "It deletes nodes of a graph with all their relations."]);
  for (const index of verbs.slice(0, mostVerbs)) {
    const verb = words[index]!;
    const rest = tokens.slice(index + 1);
    if (verb === "DROP") found.push(["sql.drop", "It drops a table, a database or another part of one."]);
    if (verb === "TRUNCATE") found.push(["sql.truncate", "It deletes every row of a table."]);
    if (
      verb === "ALTER" &&
      ["DROP", "DELETE", "TRUNCATE", "DETACH", "EXCHANGE"].some((word) => words.slice(index).includes(word))
    )
      found.push(["sql.alter-drop", "It drops a part of a table with the data in it."]);
    if ((verb === "DELETE" || verb === "UPDATE") && changesEverything(rest, verb)) {
      found.push([
        verb === "DELETE" ? "sql.delete-all" : "sql.update-all",
        `It ${verb === "DELETE" ? "deletes" : "changes"} every row of a table.`,
      ]);
    }
    if (verb === "MERGE" && words.slice(index).includes("DELETE"))
      found.push(["sql.delete-all", "It deletes rows of a table that have no match."]);
    if (verb === "ALTER" && (words.includes("ROLE") || words.includes("USER")) && words.includes("SUPERUSER"))
      found.push(["sql.rights", "It gives someone every right."]);
    if (verb === "GRANT" && (words.includes("ALL") || words.includes("SUPERUSER")))
      found.push(["sql.rights", "It gives someone every right."]);
    if (verb === "SHUTDOWN" || verb === "FLUSHALL" || verb === "PURGE")
      found.push(["sql.server", "It stops the server or removes its logs."]);
  }
  if (verbs.length > mostVerbs) found.push(["sql.unclear", "It has too many parts to be judged."]);
  return [...found, ...findProgramCalls(tokens, words)];
}

const commandVerbs = new Set(["DROP", "TRUNCATE", "ALTER", "DELETE", "UPDATE", "MERGE", "GRANT", "SHUTDOWN", "PURGE"]);

/** Where a statement begins: at the start, after EXPLAIN ANALYZE, in a common table expression, in a block of code. */
function findVerbs(words: readonly string[]): number[] {
  const indexes: number[] = [];
  for (let index = 0; index < words.length; index++) {
    if (!commandVerbs.has(words[index]!)) continue;
    const before = words[index - 1];
    // A comparison, a name or a clause (`ON DELETE CASCADE`, `FOR UPDATE`, `GRANT DELETE`) is no statement.
    if (words[index] === "TRUNCATE" && words[index + 1] === "(") continue;
    if (
      index === 0 ||
      before === "(" ||
      before === ")" ||
      ["ANALYZE", "BEGIN", "THEN", "ELSE", "DO", "VERBOSE", "LOOP", "AS"].includes(before!)
    )
      indexes.push(index);
    else if (words[0] === "IF") indexes.push(index);
    else if (words[0] === "WITH" && words[index + 1] !== "CASCADE" && !["ON", "FOR", "OR", ",", "."].includes(before!))
      indexes.push(index);
  }
  return indexes;
}

function changesEverything(tokens: readonly SqlToken[], verb: string): boolean {
  if (verb === "UPDATE" && !tokens.some((token) => token.text === "SET")) return false;
  let depth = 0;
  for (let index = 0; index < tokens.length; index++) {
    const { kind, text } = tokens[index]!;
    if (kind === "symbol" && text === "(") depth++;
    if (kind === "symbol" && text === ")" && --depth < 0) return true;
    if (depth === 0 && kind === "word" && text === "WHERE")
      return isConstantCondition(cutCondition(tokens.slice(index + 1)));
  }
  return true;
}

/** Up to the end of the condition. */
function cutCondition(tokens: readonly SqlToken[]): readonly SqlToken[] {
  let depth = 0;
  const end = tokens.findIndex(({ kind, text }) => {
    if (kind === "symbol" && text === "(") depth++;
    if (kind === "symbol" && text === ")" && --depth < 0) return true;
    return depth === 0 && kind === "word" && ["RETURNING", "ORDER", "LIMIT", "GROUP"].includes(text);
  });
  return end < 0 ? tokens : tokens.slice(0, end);
}

function findProgramCalls(tokens: readonly SqlToken[], words: readonly string[]): Judged {
  const found: [string, string][] = [];
  const has = (...names: string[]): boolean =>
    names.some((name) => words.some((word) => word === name || word.endsWith(`.${name}`)));
  if (words[0] === "COPY" && has("PROGRAM")) found.push(["sql.program", "The server starts a program."]);
  if (
    has(
      "XP_CMDSHELL",
      "SYS_EXEC",
      "SYS_EVAL",
      "LO_EXPORT",
      "LO_IMPORT",
      "DBMS_SCHEDULER",
      "SP_OACREATE",
      "LOAD_EXTENSION",
      "READFILE",
      "WRITEFILE",
      "FSDIR",
    )
  ) {
    found.push(["sql.program", "The server starts a program or reads and writes files."]);
  }
  if (has("OUTFILE", "DUMPFILE") || has("LOAD_FILE", "PG_READ_FILE", "PG_LS_DIR", "PG_READ_BINARY_FILE"))
    found.push(["sql.files", "The server reads or writes files."]);
  if (words[0] === "COPY" && has("TO") && tokens.some(({ kind, text }) => kind === "string" && text.startsWith("/")))
    found.push(["sql.files", "The server writes a file."]);
  if (words[0] === "CREATE" && has("LANGUAGE") && has("PLPYTHONU", "PLPYTHON3U", "PLPERLU", "C"))
    found.push(["sql.program", "The server gets code that may do anything."]);
  if (
    words[0] === "DO" ||
    words[0] === "EXEC" ||
    words[0] === "EXECUTE" ||
    words[0] === "PREPARE" ||
    words[0] === "CALL"
  ) {
    // Code and statements that stand in strings are run.
    for (const { kind, text } of tokens) {
      const code = text.replace(/^\s*(?:BEGIN|DECLARE)\b/i, "");
      if (kind === "string" && judgeText(code, { isCode: words[0] === "DO" }).length > 0)
        found.push(["sql.nested", "It runs a statement that destroys data."]);
    }
  }
  return found;
}

/** Whether it runs a text as a statement that is not written out: parts that are joined, or a variable. */
function runsBuiltText(tokens: readonly SqlToken[], { isCode }: { readonly isCode: boolean }): boolean {
  return tokens.some(({ kind, text }, index) => {
    if (kind !== "word" || !/^(?:EXEC|EXECUTE|PREPARE)$/.test(text)) return false;
    if (index > 0 && !beforeStatement.has(tokens[index - 1]!.text)) return false;
    const rest = tokens.slice(index + 1, index + 50);
    const [first, second] = rest.map((token) => token.text);
    if (text === "PREPARE") return second === "FROM" && isBuilt(rest.slice(2));
    if (first === "(" || first === "IMMEDIATE" || /(?:^|\.)SP_EXECUTESQL$/.test(first ?? ""))
      return isBuilt(rest.slice(1));
    return (isCode || rest[0]?.kind === "string" || second === "||") && isBuilt(rest);
  });
}

const beforeStatement = new Set(["BEGIN", "THEN", "ELSE", "LOOP", "DO"]);

/** Anything but one text that is written out, up to where the values for it begin. */
function isBuilt(tokens: readonly SqlToken[]): boolean {
  const end = tokens.findIndex(({ kind, text }) => kind !== "string" && /^(?:,|\)|USING|INTO)$/.test(text));
  const parts = (end < 0 ? tokens : tokens.slice(0, end)).filter(({ text }) => text !== "N" && text !== "(");
  return parts.length !== 1 || parts[0]!.kind !== "string";
}

function showStatement(tokens: readonly SqlToken[]): string {
  return tokens
    .slice(0, 40)
    .map((token) => (token.kind === "string" ? "'…'" : token.text))
    .join(" ");
}
