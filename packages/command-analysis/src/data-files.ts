import type { SimpleCommand } from "./simple-command.ts";

const databaseEndings =
  /\.(?:db|db3|sqlite3?|sqlitedb|s3db|mdb|accdb|dbf|mdf|ldf|ibd|frm|myd|rdb|aof|ldb|realm|duckdb|sql|dump|pgdump|bak|backup|bson|kdbx|ledger)$/i;
const dataEndings =
  /\.(?:db|db3|sqlite3?|sqlitedb|s3db|mdb|accdb|dbf|mdf|ldf|ibd|frm|myd|rdb|aof|ldb|realm|duckdb|sql|dump|pgdump|bak|backup|bson|csv|tsv|json|jsonl|ndjson|parquet|avro|orc|feather|arrow|h5|hdf5|npz|npy|pkl|pickle|rds|rdata|sav|dta|xlsx?|ods|kdbx|wal|ledger|gpg|tar|zip|gz|tgz|7z|qcow2|vmdk|vdi|img|iso)$/i;
const dataNames = /(?:^|[-_./])(?:data|database|backup|prod|production|customers?|accounts?|ledger)(?:[-_.]|$)/i;
const workEndings = /\.(?:log|out|err|tmp|temp|txt|md|lock|pid|cache)$/i;

/** A file whose content is likely kept nowhere else: a database, a table, an archive. By its name alone. */
export function isDataFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return dataEndings.test(name) || (dataNames.test(name) && !workEndings.test(name));
}

/** A database, a dump or a backup, by its name alone. */
export function isDatabase(path: string): boolean {
  return databaseEndings.test(path);
}

/** `: > file`, `cat /dev/null > file`. */
export function printsNothing({ name, words, redirects }: SimpleCommand): boolean {
  const texts = words.slice(1).map((word) => word.text);
  switch (name) {
    case "":
    case ":":
    case "true":
      return !redirects.some(({ operator }) => operator === "<");
    case "exec":
      return texts.length === 0;
    case "cat":
      return texts.length === 1 && texts[0] === "/dev/null";
    case "head":
    case "tail":
      return /^(?:-[cn] ?0|-[cn]0|--(?:bytes|lines)=0)$/.test(texts.slice(0, texts[0]?.length === 2 ? 2 : 1).join(" "));
    case "echo":
      return texts.every((text) => /^-[neE]*$|^\s*$/.test(text));
    case "printf":
      return texts.length === 1 && /^(?:\\n|\s)*$/.test(texts[0]!);
    case "dd":
      return texts.some((text) => text === "if=/dev/null");
    default:
      return false;
  }
}
