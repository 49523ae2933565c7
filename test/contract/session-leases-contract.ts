import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { SessionLease, SessionLeases } from "../../src/core/session.ts";

function makeLease(given: Partial<SessionLease> = {}): SessionLease {
  return {
    sessionId: "ses_1",
    owner: { pid: 4711, startTime: "99", bootId: "boot" },
    takenAt: 1_767_225_600_000,
    ...given,
  };
}

/** Every promise of `SessionLeases`, for each implementation. */
export function sessionLeasesContract(name: string, open: (t: TestContext) => Promise<SessionLeases>): void {
  const other = makeLease({ owner: { pid: 4712, startTime: "100", bootId: "boot" }, takenAt: 1_767_225_700_000 });

  describe(`session leases: ${name}`, () => {
    test("a lease that is taken is in the way of everybody, its owner too, until it is released [L11]", async (t) => {
      const leases = await open(t);
      const mine = makeLease();
      assert.equal(await leases.take(mine), undefined);
      assert.deepEqual(await leases.take(other), mine);
      assert.deepEqual(await leases.take({ ...mine, takenAt: 5 }), mine);
      assert.equal(await leases.release("ses_1", mine.owner), true);
      assert.equal(await leases.take(other), undefined);
      assert.deepEqual(await leases.list(), [other]);
    });

    test("only its owner releases a lease", async (t) => {
      const leases = await open(t);
      await leases.take(makeLease());
      assert.equal(await leases.release("ses_1", other.owner), false);
      assert.equal(await leases.release("ses_1", { ...makeLease().owner, bootId: "another boot" }), false);
      assert.equal(await leases.release("ses_2", makeLease().owner), false);
      assert.deepEqual(await leases.list(), [makeLease()]);
    });

    test("a lease is replaced only by those who name the one that is there [L11]", async (t) => {
      const leases = await open(t);
      const dead = makeLease();
      await leases.take(dead);
      assert.deepEqual(await leases.take(other, { ...dead, takenAt: 5 }), dead);
      assert.deepEqual(await leases.take(other, { ...dead, owner: other.owner }), dead);
      assert.equal(await leases.take(other, dead), undefined);
      const late = makeLease({ owner: { pid: 4713, startTime: "101", bootId: "boot" } });
      assert.deepEqual(await leases.take(late, dead), other);
      assert.deepEqual(await leases.list(), [other]);
    });

    test("of many that want one lease at once, one gets it [L11]", async (t) => {
      const leases = await open(t);
      const dead = makeLease();
      await leases.take(dead);
      const wanted = Array.from({ length: 20 }, (_, pid) => makeLease({ owner: { ...dead.owner, pid } }));
      const inTheWay = await Promise.all(wanted.map((lease) => leases.take(lease, dead)));
      assert.equal(inTheWay.filter((lease) => lease === undefined).length, 1);
    });

    test("sessions have leases of their own, oldest first", async (t) => {
      const leases = await open(t);
      const all = [3000, 2000, 1000].map((takenAt, index) => makeLease({ sessionId: `ses_${index}`, takenAt }));
      for (const lease of all) assert.equal(await leases.take(lease), undefined);
      assert.deepEqual(await leases.list(), all.toReversed());
    });
  });
}
