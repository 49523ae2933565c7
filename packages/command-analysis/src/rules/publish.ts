import { optionTable } from "../parse-options.ts";
import type { Rule } from "./command-rule.ts";

const publishes = "It publishes for everyone; what others have fetched cannot be taken back.";
const withdraws = "It takes something away that others may depend on.";
const globals = optionTable(
  "w|workspace= workspaces C|dir|prefix= tag= access= otp= registry= dry-run n r|recursive F|filter= token= p|package= manifest-path= k|key= host= u= cwd= repository= skip-existing",
);

/** A push to a registry for images is not among them: a tag can be moved back, and pipelines do it all day. */
const publishers: readonly (readonly [programs: string, subcommand: string])[] = [
  ["npm pnpm bun lerna changeset", "publish"],
  ["yarn", "publish"],
  ["yarn", "npm publish"],
  ["yarn", "workspace * publish"],
  ["yarn", "workspace * npm publish"],
  ["yarn", "workspaces foreach npm publish"],
  ["cargo poetry flit hatch uv pdm mix dart flutter jsr vsce ovsx clojars", "publish|hex.publish"],
  ["dart flutter", "pub publish"],
  ["twine", "upload"],
  ["gem", "push"],
  ["conda anaconda", "upload"],
  ["pod", "trunk|repo push"],
  ["deno", "publish"],
  ["dotnet", "nuget push"],
  ["nuget", "push"],
  ["goreleaser", "release"],
  ["semantic-release np release-it", "*"],
];

export const publishRules: readonly Rule[] = [
  ...publishers.map(([programs, subcommand]): Rule => ({
    id: "publish.release",
    programs,
    subcommand,
    globals,
    reason: publishes,
    finds: ({ globals: given, words }) =>
      !given.has("dry-run") && !words.some((word) => word.text === "--dry-run" || word.text === "--snapshot"),
  })),
  {
    id: "publish.release",
    programs: "semantic-release np release-it",
    reason: publishes,
    finds: ({ words }) => !words.some((word) => word.text.startsWith("--dry-run") || word.text === "-d"),
  },
  {
    id: "publish.release",
    programs: "mvn mvnw gradle gradlew sbt lein",
    reason: publishes,
    finds: ({ words }) =>
      words.some((word) =>
        /^(?:deploy|deploy:deploy|release:perform|publish|:?(?:[a-z-]+:)*publish|publishToSonatype|publishSigned)$/.test(
          word.text,
        ),
      ),
  },
  {
    id: "publish.release",
    programs: "setup.py python python3",
    reason: publishes,
    finds: ({ words, command }) =>
      (command.name === "setup.py" || words[0]?.text === "setup.py") && words.some((word) => word.text === "upload"),
  },
  {
    id: "publish.release",
    programs: "gh glab hub",
    subcommand: "release create|upload|edit",
    globals,
    reason: publishes,
    finds: ({ words }) => !words.some((word) => word.text === "--draft" || word.text === "-d"),
  },
  { id: "publish.withdraw", programs: "npm pnpm yarn", subcommand: "unpublish|deprecate", globals, reason: withdraws },
  {
    id: "publish.withdraw",
    programs: "npm pnpm yarn",
    subcommand: "owner|access|dist-tag|team|token|org rm|remove|revoke|grant|set|add",
    globals,
    reason: "It changes who may publish, or what others get.",
  },
  { id: "publish.withdraw", programs: "cargo gem vsce", subcommand: "yank|unpublish", globals, reason: withdraws },
  {
    id: "publish.withdraw",
    programs: "cargo gem",
    subcommand: "owner",
    globals,
    reason: "It changes who may publish.",
    finds: ({ words }) => words.some((word) => /^(?:-a|-r|--add|--remove)$/.test(word.text)),
  },
];
