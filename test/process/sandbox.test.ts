import assert from "node:assert/strict";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import type { CommandEnd } from "../../src/process/run/run-request.ts";
import type { SandboxView } from "../../src/process/sandbox/sandbox-view.ts";
import { lane } from "../support/require.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { mountTmpfs, remount, tmpfsAvailable } from "../support/tmpfs.ts";
import { openRoom } from "./sandbox-room.ts";
import { inMode, openBench, textOf, viewOf } from "./support.ts";

describe("the normal profile", inMode("require"), () => {
  test("the workdir can be written, and nothing around it [G1 G4]", async (t) => {
    const { sh, workdir } = await openRoom(t, { at: mkdtempSync(join(userInfo().homedir, ".deckhand-test-")) });
    t.after(() => rmSync(dirname(workdir), { recursive: true }));
    assert.deepEqual(await sh("mkdir -p a/b && echo in > a/b/c && mv a/b/c d && chmod 700 d && cat d; pwd"), [
      0,
      `in\n${workdir}\n`,
      "",
    ]);
    for (const deed of [
      "echo x > ../neighbour",
      "rm ../neighbour",
      "mv ../neighbour .",
      "mkdir ../new",
      "rmdir '../work dir'",
    ]) {
      const [code, , complaint] = await sh(deed);
      assert.notEqual(code, 0, deed);
      assert.match(complaint, /Read-only file system|Device or resource busy/, deed);
    }
    for (const path of [
      "/etc/x",
      "/usr/x",
      "/x",
      "/root/x",
      "/var/x",
      "/dev/../x",
      "/proc/sys/kernel/core_pattern",
      "/sys/x",
    ]) {
      assert.notEqual((await sh(`echo x > ${path}`))[0], 0, path);
      assert.equal(existsSync("/x") || existsSync("/etc/x"), false);
    }
    assert.equal(readFileSync(join(workdir, "../neighbour"), "utf8"), "outside\n");
    assert.deepEqual(readdirSync(dirname(workdir)).sort(), ["neighbour", "work dir"]);
  });

  test("a link out of the workdir leads to what can't be written [G1]", async (t) => {
    const outside = mkdtempSync(join(userInfo().homedir, ".deckhand-test-"));
    t.after(() => rmSync(outside, { recursive: true }));
    const { sh, workdir } = await openRoom(t);
    symlinkSync(outside, join(workdir, "out"));
    for (const deed of ["echo x > out/file", `ln -s ${outside} mine; echo x > mine/file`, `ln /etc/passwd hard`]) {
      assert.notEqual((await sh(deed))[0], 0, deed);
    }
    assert.deepEqual(readdirSync(outside), []);
  });

  test("what is hidden is empty and can't be filled, also through links and /proc [G1 G4]", async (t) => {
    const home = mkdtempSync(join(userInfo().homedir, ".deckhand-test-"));
    t.after(() => rmSync(home, { recursive: true }));
    mkdirSync(join(home, ".ssh"));
    writeFileSync(join(home, ".ssh/id_rsa"), "planted-key\n");
    writeFileSync(join(home, ".netrc"), "planted-key\n");
    mkdirSync(join(home, "real-aws"));
    writeFileSync(join(home, "real-aws/credentials"), "planted-key\n");
    symlinkSync(join(home, "real-aws"), join(home, ".aws"));
    const hidden = [".ssh", ".netrc", ".aws", ".missing"].map((name) => join(home, name));
    const { sh, workdir } = await openRoom(t, { hidden });
    symlinkSync(join(home, ".ssh"), join(workdir, "keys"));
    const [, found] = await sh(
      `cat ${home}/.ssh/* ${home}/.netrc ${home}/.aws/* keys/* ${home}/real-aws/* /proc/1/root${home}/.ssh/* /proc/self/cwd/keys/*; grep -rs planted-key ${home}; true`,
    );
    assert.equal(found, "");
    for (const deed of [
      `echo x > ${home}/.ssh/new`,
      `rm -rf ${home}/.ssh && mkdir ${home}/.ssh`,
      `umount ${home}/.ssh`,
    ]) {
      assert.notEqual((await sh(deed))[0], 0, deed);
    }
    assert.deepEqual(readdirSync(join(home, ".ssh")), ["id_rsa"]);
  });

  test("services of the machine can't be given orders, and the run folder can't be seen [G4 G1]", async (t) => {
    const { sh, folder } = await openRoom(t);
    const [, sockets] = await sh(
      "find /run /var/run/ -type s 2>/dev/null; ls /run/user /run/dbus /run/docker.sock 2>/dev/null",
    );
    assert.equal(sockets, "");
    const [, seen] = await sh(`find '${join(folder, "run")}' -type f 2>/dev/null; echo x > '${join(folder, "run")}/x'`);
    assert.equal(seen, "");
  });

  test("nobody inside can undo it, root neither [G4]", async (t) => {
    const { sh, workdir } = await openRoom(t, { hidden: [], readOnly: ["kept"] });
    writeFileSync(join(workdir, "kept"), "kept\n");
    const [, rights] = await sh("grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status");
    assert.equal(rights, "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n");
    const attempts = [
      "mount -o remount,rw /",
      "mount -o remount,bind,rw /",
      "umount -l /tmp",
      "umount kept",
      "mount --bind / /tmp",
      "mount -t proc proc /tmp",
      "unshare -Urm sh -c 'mount -o remount,bind,rw / && echo x > /deckhand-x'",
      "unshare -Urm umount kept",
      "unshare -Um sh -c 'umount kept; echo x > kept'",
      "chroot /proc/1/root true",
      "mknod disk b 8 0",
      "echo 1 > /proc/sys/kernel/core_uses_pid",
      "echo '|/bin/true' > /proc/sys/kernel/core_pattern",
      "nsenter -t 1 -m true",
      "nsenter --mount=/proc/1/ns/mnt sh -c 'echo x > /deckhand-x'",
    ];
    for (const attempt of attempts) assert.notEqual((await sh(attempt))[0], 0, attempt);
    assert.equal(readFileSync(join(workdir, "kept"), "utf8"), "kept\n");
    assert.equal(existsSync("/deckhand-x"), false);
  });

  test("processes outside can be neither seen nor signalled [G4]", async (t) => {
    const { sh } = await openRoom(t);
    const [code, seen] = await sh(`kill -0 ${process.pid}; echo $?; ls /proc | grep -c '^[0-9]'`);
    const [killed, visible] = seen.trim().split("\n");
    assert.equal(code, 0);
    assert.notEqual(killed, "0");
    assert.ok(Number(visible) < 8);
  });

  test("the sandbox tells nobody outside which process to end [E4 G4]", async (t) => {
    const { sh } = await openRoom(t);
    const forged = `{"child-pid": ${process.pid}}`;
    const [, told] = await sh(
      `for fd in /proc/1/fd/*; do case $(readlink $fd) in */info) echo '${forged}' > $fd; echo forged;; esac; done; sleep 5 & exit 0`,
    );
    assert.equal(told, "");
  });

  test("/tmp is shared by the commands of a runtime and with nobody else [G1]", async (t) => {
    const [one, two] = [await openRoom(t), await openRoom(t)];
    await one.sh("echo first > /tmp/note; echo second > /var/tmp/note; echo $TMPDIR > /tmp/where");
    assert.deepEqual(await one.sh("cat /tmp/note /var/tmp/note /tmp/where"), [0, "first\nsecond\n/tmp\n", ""]);
    assert.notEqual((await two.sh("cat /tmp/note"))[0], 0);
    assert.equal(existsSync("/tmp/note") || existsSync("/var/tmp/note"), false);
  });

  test("the way to a workdir below /tmp can't be turned into a way out [G1 G4]", async (t) => {
    const { sh, workdir } = await openRoom(t);
    const first = join("/tmp", workdir.split("/")[2]!);
    for (const deed of [`mv ${first} /tmp/away`, `rm -rf ${first} && ln -s / ${first}`, `echo x > ${first}/x`]) {
      assert.notEqual((await sh(deed))[0], 0, deed);
    }
    assert.deepEqual(await sh("echo still > here; cat here"), [0, "still\n", ""]);
  });

  test("without network a server on this machine can't be reached, with it it can [G4]", async (t) => {
    const server = createServer((socket) => socket.end("hello")).listen(0, "127.0.0.1");
    t.after(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const call = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
    const room = await openRoom(t);
    const bash = (): Promise<CommandEnd> => room.run(["bash", "-c", call], { cwd: room.workdir });
    assert.equal(textOf((await bash()).stdout), "hello");
    room.view = { ...room.view, network: false };
    const refused = await bash();
    assert.notEqual(refused.exitCode, 0);
    assert.deepEqual(refused.sandbox, { kind: "bwrap", profile: "normal", network: false });
    assert.equal(
      refused.explain(textOf(refused.stderr)),
      'Commands have no network in this sandbox: the person can allow it with the setting "sandbox.network".',
    );
    const [code, interfaces] = await room.sh("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '");
    assert.deepEqual([code, interfaces], [0, "lo\n"]);
  });

  test("a server that runs in the background is reached from outside, and goes with the runtime [C12 G4]", async (t) => {
    const room = await openRoom(t);
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, "close");
    const program = `require("http").createServer((q, a) => a.end("up")).listen(${port}, "127.0.0.1")`;
    const start = await room.processes.background.start({
      argv: [process.execPath, "-e", program],
      cwd: room.workdir,
      env: { PATH: process.env["PATH"]! },
      executionId: "call_server",
      readiness: { port },
      readyTimeoutMs: 20_000,
      keep: false,
    });
    assert.equal(start.state, "ready");
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "up");
    assert.equal((await room.processes.background.stop("call_server"))?.proof, "namespace");
    await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
  });
});

describe("workdirs of all kinds", inMode("require"), () => {
  test("inside a hidden folder only the workdir is seen [G1]", async (t) => {
    const place = await temporaryFolder(t);
    const { sh, workdir } = await openRoom(t, { at: place, hidden: [place] });
    assert.deepEqual(await sh("echo in > file; cat file; ls -a ..; cat ../neighbour 2>/dev/null || echo unseen"), [
      0,
      "in\n.\n..\nwork dir\nunseen\n",
      "",
    ]);
    assert.equal(readFileSync(join(workdir, "file"), "utf8"), "in\n");
  });

  test("reached by a link, and a folder below it [G1]", async (t) => {
    const { sh, workdir } = await openRoom(t);
    const link = join(workdir, "../link");
    symlinkSync(workdir, link);
    mkdirSync(join(workdir, "sub"));
    assert.deepEqual(await sh("pwd -P; echo x > here", join(link, "sub")), [0, `${workdir}/sub\n`, ""]);
    assert.ok(existsSync(join(workdir, "sub/here")));
  });

  test("extra folders that the person allows can be written [G1]", async (t) => {
    const extra = await temporaryFolder(t);
    const { sh } = await openRoom(t, { writable: [extra, join(extra, "missing")] });
    assert.deepEqual(await sh(`echo x > '${extra}/file'; cat '${extra}/file'`), [0, "x\n", ""]);
  });

  test(
    "a workdir that can't be written at all still runs commands [G1]",
    lane("tmpfs", tmpfsAvailable()),
    async (t) => {
      const at = mountTmpfs(t, "1m");
      const { sh } = await openRoom(t, { at, readOnly: [".vscode", "a/b"] });
      remount(at, "ro");
      assert.deepEqual(await sh("echo runs; mkdir .vscode 2>/dev/null || echo kept"), [0, "runs\nkept\n", ""]);
    },
  );
});

describe("the strict profile", inMode("require"), () => {
  test("shows the system's programs and the workdir, and nothing else [G2 G4]", async (t) => {
    const { sh, workdir, processes } = await openRoom(t, { profile: "strict", network: false });
    assert.deepEqual(await processes.sandbox(), { kind: "bwrap", profile: "strict", network: false });
    assert.deepEqual(await sh("echo in > file; cat file; ls /home /root /opt /srv /mnt /var/lib 2>/dev/null; true"), [
      0,
      "in\n",
      "",
    ]);
    const [, etc] = await sh("ls /etc; cat /etc/shadow /etc/hostname 2>/dev/null");
    assert.doesNotMatch(etc, /shadow|hostname|ssh|machine-id/);
    const [code] = await sh("awk 'BEGIN { print 1 }' && date && id -un && ls / && sed -n 1p file && git --version");
    assert.equal(code, 0);
    for (const deed of ["echo x > /x", "echo x > /usr/x", "echo x > /etc/x", "ls '../neighbour'"]) {
      assert.notEqual((await sh(deed))[0], 0, deed);
    }
    assert.deepEqual(readdirSync(workdir), ["file"]);
    assert.equal(existsSync("/x"), false);
  });
});

describe("when there is no sandbox", () => {
  test("auto works, says so, and says why; off as well [G4 G10]", async (t) => {
    const { processes, run } = await openBench(t, { sandbox: "off" });
    assert.deepEqual(await processes.sandbox(), { kind: "none", profile: null, network: true });
    assert.equal(await processes.sandboxProblem(), "Commands run without a sandbox: it is switched off.");
    const end = await run(["true"]);
    assert.deepEqual([end.exitCode, end.sandbox], [0, { kind: "none", profile: null, network: true }]);
    await end.discard();
  });

  test("a PID namespace alone is not called a sandbox [G4 G10]", inMode("require"), async (t) => {
    const place = await temporaryFolder(t);
    const view = (): SandboxView => viewOf(join(place, "not there"));
    const { processes, run } = await openBench(t, { sandbox: "auto", view });
    const end = await run(["true"]);
    assert.deepEqual([end.exitCode, end.sandbox?.kind], [0, "none"]);
    await end.discard();
    assert.match((await processes.sandboxProblem())!, /^Commands run without a sandbox: .*\.$/);
    const required = await openBench(t, { sandbox: "require", view });
    const refused = await required.run(["true"]);
    assert.equal(refused.startError?.code, "SANDBOX_UNAVAILABLE");
    assert.match((await required.processes.sandboxProblem())!, /^A sandbox is required, but /);
  });
});
