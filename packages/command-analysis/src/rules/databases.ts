import { judgeRedis } from "../code/judge-dialects.ts";
import { optionTable } from "../parse-options.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import { matchesName, type Rule } from "./command-rule.ts";

const drops = "It deletes a database or all of its data.";
const migrations = optionTable(
  "e|env|environment= c|config= force y|yes all schema= skip-seed skip-generate n|name= d= p|path= database= url= settings= noinput no-input force-reset accept-data-loss to=",
);

/** Tasks that drop or empty a database, by the tool that runs them. Each must be one of the operands. */
const tasks: readonly (readonly [programs: string, names: string])[] = [
  [
    "rails rake bin/rails spring bundle zeus",
    "db:drop*|db:reset|db:purge*|db:schema:load|db:structure:load|db:setup|db:migrate:reset|db:truncate_all|db:seed:replant|db:environment:set",
  ],
  ["sequelize sequelize-cli", "db:drop|db:migrate:undo:all|db:seed:undo:all"],
  ["typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm mikro-orm", "schema:drop|migration:fresh|schema:fresh"],
  ["artisan sail", "migrate:fresh|migrate:reset|migrate:refresh|db:wipe"],
  [
    "console doctrine",
    "doctrine:database:drop|doctrine:schema:drop|doctrine:fixtures:load|doctrine:mongodb:schema:drop|orm:schema-tool:drop",
  ],
  ["manage.py django-admin", "flush|reset_db|sqlflush_apply|delete_all"],
  ["mix", "ecto.drop|ecto.reset|ecto.rollback"],
  ["flyway", "clean"],
  ["liquibase", "dropAll|drop-all|dropall|rollback-count"],
  ["dbmate", "drop"],
  ["goose", "reset|down-to"],
  ["migrate", "drop"],
  ["mysqladmin mariadb-admin", "drop|shutdown|flush-privileges"],
  ["node ace adonis", "migration:fresh|migration:reset|migration:refresh|db:wipe|db:truncate"],
];

export const databaseRules: readonly Rule[] = [
  {
    id: "database.drop",
    programs:
      "kafka-delete-records kafka-delete-records.sh dropdb dropuser pg_dropcluster pg_resetwal mysql_install_db mongo-drop",
    reason: drops,
  },
  ...tasks.map(([programs, names]): Rule => ({
    id: "database.reset",
    programs,
    reason: drops,
    finds: ({ words }) => words.some((word) => word.kind === "literal" && matchesName(word.text, names)),
  })),
  {
    id: "database.reset",
    programs: "python python3 python2 php ruby poetry pipenv uv bundle symfony",
    reason: drops,
    finds: ({ command }) => runsDatabaseTask(command),
  },
  {
    id: "database.reset",
    programs: "manage.py django-admin",
    subcommand: "migrate",
    reason: drops,
    finds: ({ words }) => words.some((word) => word.text === "zero"),
  },
  { id: "database.reset", programs: "prisma", subcommand: "migrate reset", globals: migrations, reason: drops },
  {
    id: "database.reset",
    programs: "prisma drizzle-kit",
    subcommand: "db|push",
    globals: migrations,
    reason: drops,
    finds: ({ globals }) => globals.has("force-reset", "accept-data-loss", "force"),
  },
  {
    id: "database.reset",
    programs: "supabase sqlx diesel",
    subcommand: "db|database|migration reset|drop",
    globals: migrations,
    reason: drops,
  },
  { id: "database.reset", programs: "dotnet-ef", subcommand: "database drop", globals: migrations, reason: drops },
  { id: "database.reset", programs: "dotnet", subcommand: "ef database drop", globals: migrations, reason: drops },
  {
    id: "database.reset",
    programs: "alembic flask",
    globals: migrations,
    subcommand: "*",
    reason: drops,
    finds: ({ globals }) =>
      globals.operands.some((word) => word.text === "downgrade") &&
      globals.operands.some((word) => word.text === "base"),
  },
  {
    id: "database.reset",
    programs: "knex",
    globals: migrations,
    subcommand: "migrate:rollback",
    reason: drops,
    finds: ({ globals }) => globals.has("all"),
  },
  {
    id: "database.restore",
    programs: "pg_restore mongorestore",
    options: optionTable(
      "c|clean drop d|dbname= C|create uri= h|host= p|port= U|username= l|list nsInclude= archive=?",
    ),
    reason: "It drops what is in the database before it restores.",
    finds: ({ options }) => options.has("clean", "drop") && !options.has("list"),
  },
  {
    id: "database.flush",
    programs: "redis-cli valkey-cli keydb-cli",
    options: optionTable("h= p= a= n= u= s= x raw no-auth-warning tls eval= user= pass= r= i=", {
      stopsAtOperand: true,
    }),
    reason: "It empties the database or changes how the server runs.",
    finds: ({ options, command }) =>
      options.has("eval") ||
      flushes(
        options.operands.map((word) => word.text),
        command,
      ) ||
      command.via.includes("xargs"),
  },
  {
    id: "database.script",
    programs: "psql mysql mariadb sqlite3 pg_restore mongorestore",
    reason: "It runs a file of statements whose name says that it deletes.",
    finds: ({ command }) => runsDeletion(command),
  },
  {
    id: "database.unclear",
    programs: "psql mysql mariadb sqlite3 duckdb clickhouse-client cqlsh sqlcmd mongosh mongo",
    reason: "What it does to the database is only known when it runs.",
    finds: ({ command: { input } }) =>
      input.kind === "commands" &&
      input.commands.length > 0 &&
      input.commands.every(({ name, words }) => /^(?:echo|printf)$/.test(name) && words.slice(1).some(isWholeStatement))
        ? "unknown"
        : false,
  },
  {
    id: "database.flush",
    programs: "nc ncat netcat telnet socat",
    reason: "It empties the store or stops the server at the other end.",
    finds: ({ command: { input } }) =>
      (input.kind === "text" || input.kind === "dynamic") &&
      (judgeRedis(input.text).length > 0 || /^[ \t]*(?:flush_all|shutdown|DELETE \/\S* HTTP)/im.test(input.text)),
  },
  {
    id: "database.flush",
    programs:
      "rabbitmqctl rabbitmqadmin kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh etcdctl consul influx nats",
    reason: "It deletes stored messages or settings.",
    finds: ({ words }) =>
      words.some((word) =>
        /^-{0,2}(?:reset|force_reset|delete|delete_.*|purge|purge_queue|stop_app|del|kv-delete)$/.test(word.text),
      ),
  },
];

function flushes(words: readonly string[], command: SimpleCommand): boolean {
  const [first = "", second = ""] = words.map((word) => word.toLowerCase());
  if (/^(?:flushall|flushdb|shutdown|debug|slaveof|replicaof|failover|swapdb|migrate|restore)$/.test(first))
    return true;
  if (
    /^(?:config set|config rewrite|module load|script flush|function flush|cluster reset|acl deluser|acl setuser|client kill)$/.test(
      `${first} ${second}`,
    )
  )
    return true;
  if (
    /^eval(?:sha)?$/.test(first) &&
    words.some((word) => /flush(?:all|db)|shutdown|config|redis\.call\(.del/i.test(word))
  )
    return true;
  return (first === "del" || first === "unlink") && command.substitutions.length > 0;
}

/** A file that is named by what it does. */
function runsDeletion({ name, words, input }: SimpleCommand): boolean {
  const sources = input.kind === "commands" ? input.commands : [];
  const read = [
    ...(input.kind === "file" ? [input.path.text] : []),
    ...sources
      .filter((source) => /^(?:cat|zcat|gunzip|gzip|bzcat|xzcat|zstdcat|zstd|unzip|pv)$/.test(source.name))
      .flatMap((source) => source.words.slice(1).map(({ text }) => text)),
    ...(/^(?:psql|mysql|mariadb|sqlite3)$/.test(name)
      ? words
          .slice(1)
          .flatMap(({ text }, index) =>
            /^(?:-f|--file)$/.test(words[index]?.text ?? "")
              ? [text]
              : /^(?:--file=|\\?\.read |source )/.test(text)
                ? [text]
                : [],
          )
      : []),
  ];
  return read.some((file) => /(?:wipe|reset|drop|clean|purge|truncate|destroy|delete)[^/]*$/i.test(file));
}

/** Nothing of the statement is known: `echo "$SQL"`. */
function isWholeStatement({ kind, text, prefix }: Word): boolean {
  return kind === "dynamic" && (prefix.trim() === "" || /^\s*%s/.test(text));
}

/** `python manage.py flush`, `php artisan migrate:fresh`, `poetry run python manage.py reset_db`. */
function runsDatabaseTask({ words }: SimpleCommand): boolean {
  const texts = words.map((word) => word.text);
  const script = texts.findIndex((text) =>
    /(?:^|\/)(?:manage\.py|artisan|console|rails|rake|doctrine|alembic)$/.test(text),
  );
  if (script < 0) return false;
  const name = texts[script]!.replace(/^.*\//, "");
  const rest = texts.slice(script + 1);
  if (name === "manage.py" && rest[0] === "migrate" && rest.includes("zero")) return true;
  const names = tasks.find(([programs]) => programs.split(" ").includes(name))?.[1] ?? "";
  return (
    rest.some((text) => matchesName(text, names)) ||
    (name === "alembic" && rest.includes("downgrade") && rest.includes("base"))
  );
}
