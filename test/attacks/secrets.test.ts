import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { inMode } from "../process/support.ts";
import { openMachine, put, runScript } from "./support.ts";

/** Of the review, and more of their kind. */
const secretFiles = [
  ".ssh/id_ed25519",
  ".aws/credentials",
  ".kube/config",
  ".docker/config.json",
  ".git-credentials",
  ".config/gh/hosts.yml",
  ".config/op/config",
  ".codex/auth.json",
  ".vault-token",
  ".cargo/credentials.toml",
  ".terraform.d/credentials.tfrc.json",
  ".pulumi/credentials.json",
  ".config/sops/age/keys.txt",
  ".config/rclone/rclone.conf",
  ".my.cnf",
  ".gem/credentials",
  ".composer/auth.json",
  ".databrickscfg",
  ".s3cfg",
  ".boto",
  ".oci/oci_api_key.pem",
  ".config/doctl/config.yaml",
  ".config/hcloud/cli.toml",
  ".config/heroku/credentials",
  ".config/vercel/auth.json",
  ".config/glab-cli/config.yml",
  ".config/containers/auth.json",
  ".config/github-copilot/hosts.json",
  ".fly/config.yml",
  ".netlify/config.json",
  ".cache/huggingface/token",
  ".claude.json",
  ".local/share/opencode/auth.json",
  ".qwen/oauth_creds.json",
  ".pi/auth.json",
  ".config/BraveSoftware/Brave-Browser/Default/Login Data",
  ".config/microsoft-edge/Default/Cookies",
  ".thunderbird/profile/key4.db",
  ".mozilla/firefox/profile/cookies.sqlite",
  ".bash_history",
  ".zsh_history",
  ".python_history",
  ".psql_history",
  ".local/share/fish/fish_history",
  ".colima/default/ssh_key",
];
/** Hidden only because of what they hold. */
const mixedFiles = [".npmrc", ".m2/settings.xml", ".config/pip/pip.conf"];

describe("keys, tokens, histories and sockets, with the settings as they ship", inMode("require"), () => {
  test("no command reads keys, tokens, histories or browser profiles of the home folder (S-M4) [G1]", async (t) => {
    const { home, open } = await openMachine(t);
    for (const name of secretFiles) put(home, name, `planted in ${name}\n`);
    for (const name of mixedFiles) put(home, name, `_authToken=planted in ${name}\n`);
    put(home, "plain.txt", "seen\n");
    const runtime = await open();
    const all = [...secretFiles, ...mixedFiles, "plain.txt"].map((name) => `"$HOME/${name}"`).join(" ");
    const { result } = await runScript(runtime, `for f in ${all}; do cat "$f" 2>/dev/null; done; echo looked`);
    assert.equal(result?.output, "seen\nlooked\n");
  });

  test("settings of package managers without a token stay readable, and those that the person shows (S-M4) [G1]", async (t) => {
    const { home, open } = await openMachine(t);
    put(home, ".npmrc", "registry=https://registry.example.org/\n");
    put(home, ".m2/settings.xml", "<password>planted</password>\n");
    const runtime = await open({
      settings: { permissions: { mode: "auto" }, sandbox: { visible: ["~/.m2/settings.xml"] } },
    });
    const { result } = await runScript(runtime, 'cat "$HOME/.npmrc" "$HOME/.m2/settings.xml"');
    assert.equal(result?.output, "registry=https://registry.example.org/\n<password>planted</password>\n");
  });

  test("without the network no Unix socket answers that was there before, in the home folder or the workspace (S-H3) [G1]", async (t) => {
    const { home, workdir, env, open } = await openMachine(t);
    const paths = [join(home, "services/agent.sock"), join(workdir, "w.sock"), join(home, "engine.sock")];
    for (const path of paths) {
      mkdirSync(dirname(path), { recursive: true });
      const server = createServer((socket) => void socket.end("from outside"));
      afterTest(t, () => new Promise<void>((resolve) => void server.close(() => resolve())));
      await new Promise<void>((resolve) => void server.listen(path, resolve));
    }
    const runtime = await open({ env: { ...env, DOCKER_HOST: `unix://${paths[2]}` } });
    const connect = `const s = require("net").connect(process.argv[1]); s.on("data", (d) => console.log("CONNECTED " + d)); s.on("error", (e) => console.log(e.code));`;
    const script = paths.map((path) => `"${process.execPath}" -e '${connect}' "${path}"`).join("\n");
    const { result, sandbox } = await runScript(runtime, script);
    assert.deepEqual(
      [sandbox?.network, result?.output?.includes("CONNECTED"), result?.output?.split("\n").length],
      [false, false, 4],
    );
  });
});
