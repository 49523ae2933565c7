import assert from "node:assert/strict";
import { test } from "node:test";
import { openGated } from "./support.ts";

/** Every program of the table, with each of its options that takes the next word. */
const valued: readonly [program: string, options: string][] = [
  ["git", "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source"],
  ["docker", "-c --context -H --host --config -l --log-level --tlscacert --tlscert --tlskey --connection --url"],
  ["podman", "-c --context -H --host --config -l --log-level --tlscacert --tlscert --tlskey --connection --url"],
  ["nerdctl", "-c --context -H --host --config -l --log-level --tlscacert --tlscert --tlskey --connection --url"],
  [
    "kubectl",
    "-n --namespace --context --kubeconfig --kube-context --cluster --user -s --server --token --as --as-group --request-timeout -v",
  ],
  [
    "oc",
    "-n --namespace --context --kubeconfig --cluster --user -s --server --token --as --as-group --request-timeout -v",
  ],
  ["helm", "-n --namespace --kubeconfig --kube-context"],
  ["npm", "--prefix -w --workspace --registry --userconfig --cache"],
  ["pnpm", "-C --dir --filter -F --prefix"],
  ["yarn", "--cwd"],
  ["gh", "-R --repo"],
  ["aws", "--profile --region --output --endpoint-url --query"],
  ["gcloud", "--project --account --configuration --format"],
  ["az", "--subscription --output -o"],
  ["cargo", "--manifest-path --config --color -Z"],
  ["go", "-C"],
  ["make", "-C -f -I -o -W --directory --file"],
  ["systemctl", "-H -M --host --machine -t --type"],
  ["pip", "--python --proxy --cert --log"],
  ["uv", "--directory --project --config-file"],
  ["composer", "-d --working-dir"],
  ["poetry", "-C --directory -P --project"],
];
/** Programs whose own options are all flags, or hold their value after "=". */
const flagged = ["terraform -chdir=sub", "tofu -chdir=sub", "make -s", "git --no-pager"];

test("an option with its value before the sub-command hides it from no deny rule [G8]", async (t) => {
  const programs = [...new Set([...valued.map(([program]) => program), "terraform", "tofu"])];
  const deny = programs.map((program) => `bash(${program} frobnicate)`);
  const { call, asked } = await openGated(t, { permissions: { allow: ["bash"], deny } });
  const cases = [
    ...valued.flatMap(([program, options]) => options.split(" ").map((option) => `${program} ${option} value`)),
    ...flagged,
  ];
  const missed: string[] = [];
  for (const start of cases) {
    const rule = `bash(${start.split(" ")[0]} frobnicate)`;
    const { error } = await call("bash", { command: `${start} frobnicate` });
    if (error !== `Refused: the rule deny ${rule} covers it`) missed.push(`${start}: ${error}`);
  }
  assert.deepEqual(missed, []);
  assert.equal(asked.length, 0);
});

test("what is an option's value is not a sub-command [G8]", async (t) => {
  const deny = valued.map(([program]) => `bash(${program} frobnicate *)`);
  const { call } = await openGated(t, { permissions: { deny } });
  for (const [program, options] of valued) {
    for (const option of options.split(" ")) {
      const { error } = await call("bash", { command: `${program} ${option} frobnicate version` });
      assert.doesNotMatch(error ?? "", /the rule deny/, `${program} ${option}`);
    }
  }
});

test("a command that only reads needs a rule beside an allowed one where it reads outside the workdir, or secrets [G8]", async (t) => {
  const { call, asked } = await openGated(t, { permissions: { allow: ["bash(true *)", "bash(mkdir *)"] } });
  const outside = [
    "cat /etc/passwd; mkdir a",
    "mkdir b && head -1 /etc/hosts",
    "cat ../x | wc -l; mkdir c",
    "mkdir d; ls ~",
    "mkdir e; cat .env",
    'mkdir f; cat "$FILE"',
    "mkdir g; grep root < /etc/passwd",
    "mkdir h $(cat /etc/hostname)",
    "mkdir i; rg --no-config x /etc",
    "if cat /etc/passwd; then mkdir j; fi",
  ];
  for (const command of outside) {
    const before = asked.length;
    const { state } = await call("bash", { command });
    assert.deepEqual([state, asked.length], ["cancelled", before + 1], command);
  }
  for (const command of ["mkdir k; cat k/x", "ls . && mkdir l", "mkdir m; git status"]) {
    const before = asked.length;
    await call("bash", { command });
    assert.equal(asked.length, before, command);
  }
});
