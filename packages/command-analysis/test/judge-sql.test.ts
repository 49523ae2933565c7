import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeSql } from "../src/code/judge-sql.ts";

const destroying = [
  "DROP TABLE users",
  "drop   table\nusers",
  "/* x */ DROP /* y */ TABLE users",
  "SELECT 1; TRUNCATE users;",
  "ALTER TABLE t DROP COLUMN c",
  "DELETE FROM users",
  "DELETE FROM users;",
  "DELETE FROM users -- WHERE id = 1",
  "DELETE FROM users # WHERE id = 1",
  "DELETE FROM users WHERE 1=1",
  "DELETE FROM users WHERE (1 = 1)",
  "DELETE FROM users WHERE true",
  "DELETE FROM users WHERE 1",
  "DELETE FROM users WHERE 'a' = 'a'",
  "DELETE FROM users WHERE 2 > 1",
  "DELETE FROM users WHERE NOT false",
  "DELETE FROM users WHERE NOT (1 = 0)",
  "DELETE FROM users WHERE id = id",
  "DELETE FROM users WHERE id = 5 OR 1 = 1",
  "DELETE FROM users WHERE true AND (id = 3 OR true)",
  "DELETE FROM users WHERE id IS NOT NULL",
  "DELETE FROM users WHERE id IS NULL OR id IS NOT NULL",
  "DELETE FROM users WHERE a = 1 OR a <> 1",
  "DELETE FROM users WHERE id > 0",
  "DELETE FROM users WHERE name LIKE '%'",
  "DELETE FROM users WHERE 1 IN (1)",
  "UPDATE users SET admin = true",
  "UPDATE users SET a = (SELECT b FROM c WHERE d = 1)",
  "WITH gone AS (DELETE FROM users RETURNING id) SELECT * FROM gone",
  "EXPLAIN ANALYZE DELETE FROM users",
  "/*!40000 DROP TABLE users */",
  "DO $$ BEGIN EXECUTE 'DROP TABLE x'; END $$",
  "DO $$ BEGIN EXECUTE 'DRO' || 'P TABLE x'; END $$",
  "DO $$ BEGIN FOR r IN SELECT t FROM x LOOP EXECUTE format('DR%s TABLE %I', 'OP', r.t); END LOOP; END $$",
  "DO $$ DECLARE s text := 'DROP TABLE x'; BEGIN EXECUTE s; END $$",
  "SET @s = CONCAT('DEL', 'ETE FROM users'); PREPARE x FROM @s; EXECUTE x",
  "PREPARE x FROM CONCAT('DROP TABLE ', 'users')",
  "EXECUTE IMMEDIATE 'DR' || 'OP TABLE x'",
  "EXEC('DR' + 'OP TABLE x')",
  "DECLARE @s nvarchar(99) = 'TRUNCATE' + ' TABLE x'; EXEC (@s)",
  "EXEC sp_executesql @s",
  "COPY t TO PROGRAM 'sh'",
  "SELECT 'x' INTO OUTFILE '/tmp/x'",
  "SELECT load_file('/etc/passwd')",
  "EXEC xp_cmdshell 'dir'",
  "\\! ls",
  ".shell ls",
  "IF 1 = 1 DROP TABLE x",
];

const harmless = [
  "",
  "SELECT * FROM users WHERE action = 'DROP TABLE x'",
  "INSERT INTO log VALUES ('delete from users; drop table users')",
  'SELECT "delete", `drop`, deleted_at FROM t',
  "SELECT $$drop table x$$",
  "-- DROP TABLE users\nSELECT 1",
  "DELETE FROM users WHERE id = 5",
  "PREPARE x FROM 'SELECT 1'; EXECUTE x",
  "PREPARE x AS SELECT $1; EXECUTE x(3)",
  "EXEC report @id = 3, @name = 'a' + 'b'",
  "EXEC sp_executesql N'SELECT * FROM t WHERE id = @id', N'@id int', @id = 3",
  "EXECUTE IMMEDIATE 'SELECT 1' INTO x USING 3",
  "CREATE TRIGGER t AFTER INSERT ON x FOR EACH ROW EXECUTE FUNCTION f()",
  "GRANT EXECUTE ON FUNCTION f() TO kim",
  "DELETE FROM users WHERE id = 5 OR id = 6",
  "DELETE FROM users WHERE id = 5 AND 1 = 1",
  "DELETE FROM users WHERE id BETWEEN 1 AND 5",
  "DELETE FROM users WHERE name LIKE 'test%'",
  "DELETE FROM users WHERE id IN (SELECT user_id FROM banned)",
  "DELETE FROM users WHERE expires < now() RETURNING id",
  "UPDATE users SET a = 1 WHERE id = 3",
  "UPDATE users SET note = 'where' WHERE id = 3",
  "CREATE TABLE t (id int REFERENCES u ON DELETE CASCADE ON UPDATE SET NULL)",
  "SELECT * FROM t FOR UPDATE",
  "GRANT DELETE, UPDATE ON t TO me",
  "EXPLAIN DELETE FROM users",
  "ALTER TABLE t ADD COLUMN c int",
  ".tables",
  "\\dt",
];

test("statements that destroy data are found by their tokens [L8]", () => {
  assert.deepEqual(
    destroying.filter((text) => judgeSql(text).length === 0),
    [],
  );
});

test("statements with a real condition, and words in strings, names and comments, are not [L8]", () => {
  assert.deepEqual(
    harmless.filter((text) => judgeSql(text).length > 0),
    [],
  );
});

test("a condition nested 10,000 deep and unfinished quotes are judged without an exception [L8]", () => {
  const deep = `DELETE FROM t WHERE ${"(".repeat(10_000)}1=1${")".repeat(10_000)}`;
  assert.equal(judgeSql(deep)[0]?.rule, "sql.delete-all");
  for (const text of ["'", '"', "`", "$$", "/*", "DELETE FROM 'x", "\\", "WITH", "WHERE"])
    assert.doesNotThrow(() => judgeSql(text));
});
