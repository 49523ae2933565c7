import assert from "node:assert/strict";
import { test } from "node:test";
import { childEnvironment } from "../../src/process/run/child-environment.ts";

const fixed = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  PAGER: "cat",
  DEBIAN_FRONTEND: "noninteractive",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "safe.bareRepository",
  GIT_CONFIG_VALUE_0: "explicit",
  GIT_CONFIG_KEY_1: "core.fsmonitor",
  GIT_CONFIG_VALUE_1: "false",
};

test("what is on the list passes, secrets and everything else do not [G7]", () => {
  const allowed = {
    PATH: "/usr/bin:/bin",
    HOME: "/home/me",
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    TERM: "xterm",
    TZ: "UTC",
    CI: "1",
    XDG_CACHE_HOME: "/cache",
    NODE_EXTRA_CA_CERTS: "/ca.pem",
    VIRTUAL_ENV: "/venv",
    HTTPS_PROXY: "http://proxy.test:8080",
    no_proxy: "localhost",
    DECKHAND_TASK: "/tasks/1/run-1",
  };
  const refused = {
    ANTHROPIC_API_KEY: "sk-secret",
    GITHUB_TOKEN: "secret",
    AWS_SECRET_ACCESS_KEY: "secret",
    SSH_AUTH_SOCK: "/agent",
    XDG_RUNTIME_DIR: "/run/user/1",
    DBUS_SESSION_BUS_ADDRESS: "unix:path=/bus",
    npm_config_registry: "https://example.test",
    http_proxy: "http://me:secret@proxy.test:8080",
    UNDEFINED: undefined,
  };
  assert.deepEqual(childEnvironment({ ...allowed, ...refused }), { ...allowed, ...fixed });
});

test("a name that the person adds passes; one that makes programs run something else never does [G7]", () => {
  const source = {
    PATH: "/bin",
    MY_TOKEN: "mine",
    GIT_AUTHOR_NAME: "Me",
    GIT_SSH_COMMAND: "evil",
    GIT_EXTERNAL_DIFF: "evil",
    LD_PRELOAD: "/evil.so",
    DYLD_INSERT_LIBRARIES: "/evil.dylib",
    NODE_OPTIONS: "--require /evil.js",
    BASH_ENV: "/evil",
    ENV: "/evil",
    PYTHONSTARTUP: "/evil",
    PERL5OPT: "-Mevil",
    PAGER: "evil",
    EDITOR: "evil",
    DECKHAND_EXECUTION: "call_somebody_else",
  };
  const environment = childEnvironment(source, { add: Object.keys(source) });
  assert.deepEqual(environment, { PATH: "/bin", MY_TOKEN: "mine", GIT_AUTHOR_NAME: "Me", ...fixed });
});

/** Pinned here, not imported: a name that is taken off the list is a hole. */
const changesPrograms =
  "BASH_ENV ENV ZDOTDIR PROMPT_COMMAND SHELLOPTS BASHOPTS PS4 IFS CDPATH GLOBIGNORE NODE_OPTIONS NODE_REPL_EXTERNAL_MODULE PYTHONSTARTUP " +
  "PYTHONINSPECT PYTHONBREAKPOINT PERL5OPT PERL5DB RUBYOPT JAVA_TOOL_OPTIONS _JAVA_OPTIONS PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL " +
  "BROWSER DECKHAND_EXECUTION DECKHAND_RUN LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH " +
  "GIT_DIR GIT_CONFIG_GLOBAL GIT_EDITOR GIT_ASKPASS";
test("no name that makes programs run something else passes, also when the person adds it [G7]", () => {
  for (const name of changesPrograms.split(" ")) {
    const environment = childEnvironment({ PATH: "/bin", [name]: "evil" }, { add: [name] });
    assert.deepEqual({ name, environment }, { name, environment: { PATH: "/bin", ...fixed } });
  }
});

test("names that no shell can hold and values with NUL are left out [G7]", () => {
  const source = { PATH: "/bin", "BASH_FUNC_ls%%": "() { evil; }", "a.b": "1", TERM: "x\0y" };
  assert.deepEqual(childEnvironment(source, { add: Object.keys(source) }), { PATH: "/bin", ...fixed });
});

test("PATH loses its relative entries, and a missing one is replaced [G7]", () => {
  assert.equal(childEnvironment({ PATH: ".:/usr/bin::bin:/bin:../x:" })["PATH"], "/usr/bin:/bin");
  assert.equal(childEnvironment({})["PATH"], "/usr/local/bin:/usr/bin:/bin");
});

test("the result is a new object without our environment behind it [G7]", () => {
  const environment = childEnvironment(process.env);
  assert.notEqual(environment, process.env);
  assert.equal(Object.getPrototypeOf(environment), Object.prototype);
});
