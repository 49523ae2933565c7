import type { SimpleCommand, Word } from "../simple-command.ts";
import { optionTable } from "../parse-options.ts";
import type { Rule } from "./command-rule.ts";

/** An address of somebody's code: a repository, an archive, a file on the web. */
const address =
  /^(?:[\w@./-]+@)?(?:(?:git|hg|svn|bzr)\+|(?:git|ssh|https?|ftp|s3|gs):\/\/|git::|github:|gitlab:|bitbucket:|gist:|git@[\w.-]+:)/i;

function isAddress({ text }: Word): boolean {
  const value = text.replace(/^--?[\w-]+=/, "");
  return address.test(value) || / @ (?:git\+|https?:)/.test(value);
}

/** `owner/repo`, which npm takes for GitHub's. A scope begins with `@`, a path with a dot. */
function isRepository({ text, kind }: Word): boolean {
  return kind === "literal" && /^[\w-]+\/[\w.-]+(?:#.+)?$/.test(text) && !/\.(?:[cm]?[jt]sx?|json)$/.test(text);
}

const runs = "It runs code straight from an address.";
const applies = "It applies definitions from an address.";

/** The first operand: what a runner of packages runs. */
function firstOperand(words: readonly Word[]): Word | undefined {
  return words.find((word) => !word.text.startsWith("-") && word.text !== "");
}

const runnerOptions = optionTable(
  "p|package= c|call= y|yes q|quiet from= with= spec= python= w|workspace= prefix= index-url= i=",
);

/** A program on the way gets data from the network. */
function isFedByNetwork({ input, substitutions }: SimpleCommand): boolean {
  const sources = [...(input.kind === "commands" ? input.commands : []), ...substitutions];
  return sources.some(
    ({ name, words }) =>
      /^(?:curl|wget|http|https|xh|aria2c)$/.test(name) || (name === "kustomize" && words.some(isAddress)),
  );
}

const reads =
  /^(?:get|diff|explain|describe|version|config|logs|top|api-resources|auth|list|ls|show|status|search|template|lint|pull|validate|fmt|output|providers|graph|ps|images|inspect|history)$/;

function isPreviewed(words: readonly Word[]): boolean {
  return words.some(({ text }) =>
    /^--(?:dry-run(?:=(?:client|server|true))?|check|syntax-check|list-tasks|list-hosts)$/.test(text),
  );
}

export const remoteSourceRules: readonly Rule[] = [
  {
    id: "remote.code",
    programs: "npx bunx pnpx pipx uvx",
    options: runnerOptions,
    reason: runs,
    finds: ({ options, words, command }) =>
      words.some(isAddress) ||
      (/^(?:npx|pnpx|bunx)$/.test(command.name) && options.operands.slice(0, 1).some(isRepository)),
  },
  {
    id: "remote.code",
    programs: "npm pnpm yarn bun",
    subcommand: "exec|x|dlx|create|init",
    globals: runnerOptions,
    reason: runs,
    finds: ({ words, command }) => {
      const first = firstOperand(words);
      return command.words.some(isAddress) || (first !== undefined && isRepository(first));
    },
  },
  {
    id: "remote.code",
    programs: "npm pnpm yarn bun",
    subcommand: "install|i|add|ci|link",
    reason: "It installs code straight from an address, and may run it.",
    finds: ({ words }) =>
      words.some(
        (word, index) =>
          isAddress(word) &&
          !isCodeHost(word.text) &&
          !isOfficial(word.text) &&
          !/^--?(?:registry|proxy|https-proxy|userconfig)(?:=|$)/.test(word.text) &&
          !/^--(?:registry|proxy|https-proxy)$/.test(words[index - 1]?.text ?? ""),
      ),
  },
  {
    id: "remote.code",
    programs:
      "pip pip3 uv pipx poetry pdm conda mamba easy_install gem bundle cpan cpanm luarocks composer brew cargo stack cabal opam raco",
    reason: "It installs or runs code straight from an address.",
    finds: ({ words, command }) =>
      words.some(
        (word, index) =>
          isAddress(word) &&
          !isOfficial(word.text) &&
          !(installers.test(command.name) && isCodeHost(word.text)) &&
          !/^(?:--proxy|--find-links|--registry|--cert)$/.test(words[index - 1]?.text ?? "") &&
          /^(?:install|add|run|tool|global|inject|upgrade|tap|require|update|wheel|download|sync|pin)$/.test(
            firstOperand(words)?.text ?? "",
          ),
      ) ||
      (command.name === "cargo" && words.some(({ text }) => /^--git(?:=|$)/.test(text))),
  },
  {
    id: "remote.code",
    programs: "deno",
    subcommand: "run|install|eval|x|repl|compile|test|bench|serve|task",
    reason: runs,
    finds: ({ words }) => words.some((word) => /^(?:https?:|data:)/i.test(word.text)),
  },
  {
    id: "remote.code",
    programs: "go",
    subcommand: "run",
    options: optionTable("C= mod= modfile= tags= ldflags= exec= race v x", {
      singleDashLong: true,
      stopsAtOperand: true,
    }),
    reason: runs,
    finds: ({ options }) => {
      const first = options.operands[0]?.text ?? "";
      return /^https?:/.test(first) || /^[\w-]+(?:\.[\w-]+)+\/.*@/.test(first);
    },
  },
  {
    id: "remote.code",
    programs: "nix nix-shell nix-env nix-build guix flatpak snap",
    reason: runs,
    finds: ({ words }) =>
      words.some(
        (word) =>
          (isAddress(word) || /^(?:NIX_PATH=|nixpkgs=)https?:/.test(word.text)) &&
          !/^github:nixos\/nixpkgs\b/i.test(word.text),
      ),
  },
  {
    id: "remote.code",
    programs: "curl",
    options: optionTable(
      "K|config= o|output= H|header= d|data= X|request= F|form= T|upload-file= u|user= A= e= b= c= m= s S L f k I i v",
    ),
    reason: "A file of settings says what it fetches, sends and writes.",
    finds: ({ options }) => options.has("K", "config"),
  },
  {
    id: "remote.code",
    programs: "wget aria2c",
    reason: "A file of settings or addresses says what it fetches and where it writes.",
    finds: ({ words }) =>
      words.some(
        ({ text }, index) =>
          /^--(?:config|execute|conf-path)(?:=|$)|^-e$/.test(text) ||
          (/^(?:-i|--input-file)$/.test(text) && /^[a-z]+:\/\//.test(words[index + 1]?.text ?? "")) ||
          /^(?:-i|--input-file=)[a-z]+:\/\//.test(text),
      ),
  },
  {
    id: "infrastructure.remote",
    programs: "kubectl oc k kubecolor",
    reason: applies,
    finds: ({ words, command }) =>
      !reads.test(firstOperand(words)?.text ?? "") &&
      !isPreviewed(words) &&
      ((words.some(({ text }) => /^-(?:f|k)|^--(?:filename|kustomize)/.test(text)) &&
        (words.some(
          (word) =>
            isAddress({ ...word, text: word.text.replace(/^-[fk]/, "") }) &&
            !/^--(?:server|kubeconfig|image)/.test(word.text),
        ) ||
          words.some(({ text }) => /^(?:-k|--kustomize=?)?github\.com\//.test(text)))) ||
        (words.some(({ text }) => text === "-" || text === "-f-") && isFedByNetwork(command))),
  },
  {
    id: "infrastructure.remote",
    programs: "helm helmfile",
    reason: applies,
    finds: ({ words }) =>
      /^(?:install|upgrade|apply|sync)$/.test(firstOperand(words)?.text ?? "") &&
      !isPreviewed(words) &&
      words.some((word) => isAddress(word) || word.text.startsWith("oci://")),
  },
  {
    id: "infrastructure.remote",
    programs: "ansible-pull",
    reason: applies,
    finds: ({ words }) => words.length > 0 && !isPreviewed(words),
  },
  {
    id: "infrastructure.remote",
    programs:
      "ansible-playbook ansible-galaxy puppet chef-client chef-solo cinc-client salt-call packer nomad vagrant terragrunt terraform tofu pulumi cdk sam serverless waypoint flux kustomize argocd",
    reason: applies,
    finds: ({ words, command }) =>
      !isPreviewed(words) &&
      !reads.test(firstOperand(words)?.text ?? "") &&
      (words.some((word) => isRemoteOperand(word)) || isFedByNetwork(command)),
  },
  {
    id: "infrastructure.remote",
    programs: "aws az gcloud",
    reason: applies,
    finds: ({ words }) =>
      words.some(({ text }) => /^(?:create|update|deploy|deployments|execute)/.test(text)) &&
      words.some(
        ({ text }, index) =>
          /^--template(?:-url|-uri|-spec)?(?:=|$)/.test(text) &&
          /https?:\/\//.test(`${text} ${words[index + 1]?.text ?? ""}`),
      ),
  },
  {
    id: "infrastructure.remote",
    programs: "docker podman docker-compose podman-compose nerdctl buildah",
    reason: applies,
    finds: ({ words, command }) =>
      words.some(({ text }) => /^(?:compose|up|build|deploy|bud|play|kube)$/.test(text)) &&
      !words.some(({ text }) => /^(?:config|ps|logs|pull|push|run|exec|images)$/.test(text)) &&
      !isPreviewed(words) &&
      (isFedByNetwork(command) ||
        words.some(
          (word, index) =>
            isAddress(word) &&
            !/^--(?:build-arg|label|tag|cache-from|cache-to|output)$|^-[te]$/.test(words[index - 1]?.text ?? "") &&
            !/^--(?:build-arg|label)=/.test(word.text),
        )),
  },
  {
    id: "infrastructure.unattended",
    programs: "cdk",
    subcommand: "deploy",
    reason: "It changes infrastructure without asking.",
    finds: ({ words }) =>
      words.some(
        ({ text }, index) =>
          /^--require-approval(?:=never)?$/.test(text) && `${text} ${words[index + 1]?.text ?? ""}`.includes("never"),
      ),
  },
];

const installers = /^(?:pip|pip3|poetry|pdm|conda|mamba|composer|bundle|gem)$/;

/** Installing from a code host is ordinary work; running from one at once is not. */
function isCodeHost(text: string): boolean {
  return /^(?:[\w@./-]+@| ?@ ?)?(?:github:|gitlab:|bitbucket:|(?:git\+)?(?:https|ssh):\/\/(?:git@)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)\/|git@(?:github|gitlab)\.com:)/.test(
    text.replace(/^[\w.[\]-]+ @ /, ""),
  );
}

function isOfficial(text: string): boolean {
  return /^(?:--?[\w-]+=)?https:\/\/(?:pypi\.org|files\.pythonhosted\.org|registry\.npmjs\.org|rubygems\.org|download\.pytorch\.org|repo\.anaconda\.com)(?:\/|$)/.test(
    text,
  );
}

/** Not the address of the service that it speaks to. */
function isRemoteOperand(word: Word): boolean {
  if (
    /^--?(?:address|server|url|endpoint|backend-config|auth-server|registry|host|dest-server|api|token)\b/.test(
      word.text,
    )
  )
    return false;
  return isAddress({ ...word, text: word.text.replace(/^-from-module=|^--?[\w-]+=/, "") });
}
