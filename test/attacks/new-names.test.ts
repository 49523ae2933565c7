import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { RuntimeConfig } from "../../src/runtime/create-runtime.ts";
import { locateFolders } from "../../src/config/folders.ts";
import { diagnose } from "../../src/doctor/diagnose.ts";
import { listNewNames, settleNewNames } from "../../src/permissions/trust/new-names.ts";
import { until } from "../support/runtime.ts";
import { openMachine, put } from "./support.ts";

/** Of the review: all of these were made by a script, and nobody was told. */
const names = [
  "deckhand.json",
  ".mcp.json",
  ".bashrc",
  ".envrc",
  ".npmrc",
  ".gitmodules",
  ".vscode",
  ".husky",
  "tools",
  ".claude",
  ".cursor",
  "sub/.vscode",
];
const script = `
echo '{}' > deckhand.json; echo '{}' > .mcp.json
for f in .bashrc .envrc .npmrc .gitmodules; do echo evil > $f; done
for d in .vscode .husky tools .claude .cursor sub/.vscode; do mkdir -p $d; echo evil > $d/x.json; done
git init -q plain
git init -q evil; printf '#!/bin/sh\\n' > evil/.git/hooks/pre-commit
`;
const command = "bash m.sh";
// Without a sandbox too: what comes up is looked for in the folder, not asked of the sandbox.
const settings = { sandbox: "auto" as const, permissions: { allow: ["*"] } };
const attended: RuntimeConfig = { settings, approve: async () => ({ decision: "deny", reason: "", who: "kim" }) };

test("a protected name that comes up during a call stays, and result, record and doctor say so (S-M1) [G1]", async (t) => {
  const { workdir, env, open } = await openMachine(t);
  put(workdir, "m.sh", script);
  const runtime = await open(attended);
  const call = await runtime.call("bash", { command }, { door: "agent" });
  const made = [...names, "evil/.git/hooks"].sort();
  assert.equal(call.state, "completed", call.error ?? "");
  assert.match(call.note ?? "", /^New while this call ran, and other programs act on it: /);
  for (const name of made.slice(0, 3)) assert.ok(existsSync(join(workdir, name)), name);
  assert.equal((await runtime.get(call.id))?.note, call.note);
  const folders = locateFolders(workdir, env);
  assert.deepEqual(
    listNewNames(folders)
      .map(({ path }) => path)
      .sort(),
    made,
  );
  const row = (await diagnose({ workdir, env })).find(({ name }) => name === "new names");
  assert.match(row?.what ?? "", /^New files that other programs act on, made while calls ran: /);
  const again = await runtime.call("bash", { command: "touch other" }, { door: "agent" });
  assert.equal(again.note, null);
  assert.equal(settleNewNames(folders, made).length, made.length);
  assert.deepEqual(listNewNames(folders), []);
});

test("in an unattended run it is moved aside, and can be put back (S-M1) [G1]", async (t) => {
  const { workdir, env, open } = await openMachine(t);
  put(
    workdir,
    "m.sh",
    "mkdir .husky; echo mine > .husky/pre-commit; mkdir -p sub/.vscode; echo x > sub/.vscode/tasks.json",
  );
  mkdirSync(join(workdir, ".zed"));
  const runtime = await open({ settings });
  const call = await runtime.call("bash", { command }, { door: "agent" });
  assert.equal(
    call.note,
    "New while this call ran, and moved aside because other programs act on it and this run is unattended: .husky, sub/.vscode. Put one back with `deckhand restore PATH`.",
  );
  assert.deepEqual(
    [".husky", "sub/.vscode", ".zed"].map((name) => existsSync(join(workdir, name))),
    [false, false, true],
  );
  const folders = locateFolders(workdir, env);
  settleNewNames(folders, [".husky"]);
  assert.equal(readFileSync(join(workdir, ".husky/pre-commit"), "utf8"), "mine\n");
  assert.deepEqual(
    listNewNames(folders).map(({ path }) => path),
    ["sub/.vscode"],
  );
});

test("what a process in the background makes after its call is noticed by the next one (S-M1) [G1]", async (t) => {
  const { workdir, open } = await openMachine(t);
  put(workdir, "m.sh", "until [ -e go ]; do sleep 0.05; done; mkdir .vscode; : > over; exec sleep 60");
  const runtime = await open(attended);
  await runtime.call("bash", { command, background: true }, { door: "agent" });
  put(workdir, "go");
  await until("it was made", () => existsSync(join(workdir, "over")));
  const next = await runtime.call("bash", { command: "touch other" }, { door: "agent" });
  assert.equal(
    next.note,
    "New since the call before, while a background process ran, and other programs act on it: .vscode. Review before you continue.",
  );
});

test("what a person makes between two calls is not reported (S-M1) [G1]", async (t) => {
  const { workdir, open } = await openMachine(t);
  const runtime = await open(attended);
  await runtime.call("bash", { command: "touch one" }, { door: "agent" });
  put(workdir, ".vscode/settings.json", "{}");
  assert.equal((await runtime.call("bash", { command: "touch two" }, { door: "agent" })).note, null);
});

test("what it makes after the last call is noted when the runtime ends (S-M1) [G1]", async (t) => {
  const { workdir, env, open } = await openMachine(t);
  put(workdir, "m.sh", "until [ -e go ]; do sleep 0.05; done; mkdir .vscode; : > over; exec sleep 60");
  const runtime = await open({ settings });
  const { id } = await runtime.call("bash", { command, background: true }, { door: "agent" });
  put(workdir, "go");
  await until("it was made", () => existsSync(join(workdir, "over")));
  await runtime.close();
  const [name] = listNewNames(locateFolders(workdir, env));
  assert.deepEqual(
    [name?.path, name?.callId, name?.movedTo, existsSync(join(workdir, ".vscode"))],
    [".vscode", id, `.deckhand/moved/${id}/.vscode`, false],
  );
});
