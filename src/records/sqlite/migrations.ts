import { readdirSync, readFileSync } from "node:fs";
import { RuntimeError } from "../../core/errors.ts";

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** The numbered files `0001-….sql`, in order. The bundle carries the folder beside its chunks. */
export function readMigrations(folder: URL = new URL("./migrations/", import.meta.url)): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  return names.map((name, index) => {
    const version = Number.parseInt(name, 10);
    if (version !== index + 1) {
      throw new RuntimeError("STORE_UNAVAILABLE", `Expected migration ${index + 1} in ${folder.href}, found ${name}.`);
    }
    return { version, sql: readFileSync(new URL(name, folder), "utf8") };
  });
}
