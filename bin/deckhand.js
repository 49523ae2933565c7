#!/usr/bin/env node
"use strict";

// The door of the installed command. Plain old JavaScript (CommonJS, no new syntax), so that a Node from years ago can
// still parse it and say what is wrong. Nothing is loaded that the answer does not need: `--version` is this file alone.

var needed = 24;
var major = parseInt(process.versions.node, 10);
// What a daemon makes is mostly garbage at once. V8 would let that grow to a hundred megabytes before it looks: it gets little
// room for what is new, and the daemon may collect what is old by itself. Node takes both at its start only.
var steadyHeap = ["--max-semi-space-size=4", "--expose-gc"];
var argument = process.argv.length === 3 ? process.argv[2] : "";

if (major < needed) {
  runWithNewerNode();
} else if (argument === "--version" || argument === "-v") {
  process.stdout.write(require("../package.json").version + "\n");
} else if (isDaemon() && hasUsualHeap()) {
  // In the same process, so that whoever started it (systemd, a watchdog, a terminal) sees no difference.
  process.execve(
    process.execPath,
    [process.execPath].concat(steadyHeap, process.execArgv, process.argv.slice(1)),
    process.env,
  );
} else {
  run();
}

// A clone brings the Node it needs. An installed package does not, so there it can only be said.
function runWithNewerNode() {
  var fs = require("fs");
  var path = require("path");
  var root = path.dirname(__dirname);
  var isClone = fs.existsSync(path.join(root, "scripts", "node", "package.json"));
  var node = path.join(root, "node_modules", ".bin", "node");
  if (isClone && fs.existsSync(node)) return runWith(node);
  fail(
    "deckhand needs Node " +
      needed +
      " or newer, but this is Node " +
      process.versions.node +
      (isClone
        ? ": run `npm run setup` in " + root + ", which brings it, and try again."
        : ": install a newer one from https://nodejs.org and try again."),
  );
}

function runWith(node) {
  var child = require("child_process").spawn(node, process.argv.slice(1), { stdio: "inherit" });
  ["SIGINT", "SIGTERM", "SIGHUP"].forEach(function (signal) {
    process.on(signal, function () {
      // A terminal sends the others to both of us.
      if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
    });
  });
  child.on("error", function (error) {
    fail("deckhand could not start " + node + ": " + error.message);
  });
  child.on("exit", function (code, signal) {
    if (signal === null) return process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

// `deckhand serve`, not `deckhand serve status`.
function isDaemon() {
  var words = process.argv.slice(2).concat("-");
  if (words[0].charAt(0) === "-") return (process.env.DECKHAND_AGENT_MODE || process.env.AGENT_MODE) === "daemon";
  return words[0] === "serve" && words[1].charAt(0) === "-";
}

// False when it was set already, by us or by a person, and where a process can't replace itself.
function hasUsualHeap() {
  var options = process.execArgv.join(" ") + " " + (process.env.NODE_OPTIONS || "");
  return typeof process.execve === "function" && process.platform !== "win32" && options.indexOf("semi-space") < 0;
}

function run() {
  var path = require("path");
  var entry = path.join(__dirname, "..", "dist", "cli.js");
  enableCompileCache(path);
  import(require("url").pathToFileURL(entry).href).then(
    function (cli) {
      return cli.main(process.argv.slice(2)).then(function (code) {
        process.exitCode = code;
      });
    },
    function (error) {
      if (!require("fs").existsSync(entry)) {
        fail(
          "deckhand is not built: run `npm run build` in " +
            path.dirname(__dirname) +
            ", or install the published package.",
        );
      } else {
        throw error;
      }
    },
  );
}

// In the person's own cache folder: Node's default is below the shared temporary folder, where another user of the
// machine could have put compiled code for us to run.
function enableCompileCache(path) {
  var home = process.env.HOME;
  var cache = process.env.XDG_CACHE_HOME || (home && path.join(home, ".cache"));
  if (cache && path.isAbsolute(cache)) {
    require("module").enableCompileCache(path.join(cache, "deckhand", "compile-cache"));
  }
}

function fail(sentence) {
  process.stderr.write(sentence + "\n");
  process.exitCode = 1;
}
