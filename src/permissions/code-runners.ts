/** Whether a program takes words or its stdin for code, by its name alone. */
export function runsCode(name: string): boolean {
  return interpreters.test(name);
}

/** Whether what a program finds on its stdin decides what it does. */
export function obeysInput(name: string): boolean {
  return interpreters.test(name) || shells.test(name);
}

const interpreters =
  /^(?:g?sed|[gmn]?awk|python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|tsx|ts-node|php[\d.]*|lua[\d.]*|luajit|tclsh|expect|Rscript|julia|osascript|pwsh|ed|ex|vim?|nvim|emacs|sqlite3?|duckdb|psql|mysql|mariadb|mongosh|redis-cli|jq|yq|m4|gnuplot|groovy|scala|ghci|dc|bc)$/;
const shells =
  /^(?:(?:ba|da|z|k|mk|a|fi|c|tc|ya)?sh|source|\.|eval|busybox|xargs|parallel|ssh|at|batch|crontab|patch|kubectl|make|git|tar|cpio|docker|podman)$/;
