import type { SimpleCommand, Word } from "../../../packages/command-analysis/src/simple-command.ts";

export interface Reading {
  /** The program and what comes after its own options: `git push` of `git -C . push`. */
  readonly words: readonly Word[];
  /** False when it depends on whether an option takes the next word as its value. */
  readonly isSure: boolean;
}

/** The ways to read a command without the options that stand before its sub-command. */
export function skipLeadingOptions({ name, words }: SimpleCommand): Reading[] {
  const program = words[0];
  if (!program || !words[1] || !isOption(words[1])) return [];
  const valued = optionsWithValue[name];
  const readings: Reading[] = [];
  let at = 1;
  let isSure = true;
  for (let word = words[at]; word && isOption(word); word = words[at]) {
    const takesValue = !word.text.includes("=") && valued?.has(word.text) === true;
    at += takesValue ? 2 : 1;
    // An option that nobody here knows may take the word behind it.
    const isKnown = takesValue || word.text.includes("=") || valued !== undefined;
    if (!isKnown && words[at] && !isOption(words[at]!)) {
      readings.push({ words: [program, ...words.slice(at + 1)], isSure: false });
      isSure = false;
    }
  }
  const rest = words.slice(at);
  // `-c alias.p=push p`: what the sub-command stands for is in a setting.
  const isRenamed =
    name === "git" && words.slice(1, at).some(({ prefix }) => /(?:^|=)alias\.|^--config-env/i.test(prefix));
  if (isRenamed && rest[0])
    readings.push({ words: [program, { ...rest[0], kind: "dynamic" }, ...rest.slice(1)], isSure: false });
  return [...readings, { words: [program, ...rest], isSure }];
}

function isOption({ text }: Word): boolean {
  return text.length > 1 && text.startsWith("-");
}

const options = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const containers = options(
  "-c --context -H --host --config -l --log-level --tlscacert --tlscert --tlskey --connection --url",
);
const clusters = options(
  "-n --namespace --context --kubeconfig --kube-context --cluster --user -s --server --token --as --as-group --request-timeout -v",
);

/** Of programs with sub-commands: which of their own options take the next word. */
const optionsWithValue: Readonly<Record<string, ReadonlySet<string>>> = {
  git: options("-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source"),
  docker: containers,
  podman: containers,
  nerdctl: containers,
  kubectl: clusters,
  oc: clusters,
  helm: clusters,
  npm: options("--prefix -w --workspace --registry --userconfig --cache"),
  pnpm: options("-C --dir --filter -F --prefix"),
  yarn: options("--cwd"),
  gh: options("-R --repo"),
  aws: options("--profile --region --output --endpoint-url --query"),
  gcloud: options("--project --account --configuration --format"),
  az: options("--subscription --output -o"),
  cargo: options("--manifest-path --config --color -Z"),
  go: options("-C"),
  make: options("-C -f -I -o -W --directory --file"),
  systemctl: options("-H -M --host --machine -t --type"),
  pip: options("--python --proxy --cert --log"),
  uv: options("--directory --project --config-file"),
  composer: options("-d --working-dir"),
  poetry: options("-C --directory -P --project"),
  terraform: options(""),
  tofu: options(""),
};
