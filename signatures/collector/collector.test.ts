import { isFullRun } from "../../test/support/full.ts";
import { createTestKeys, type TestKeys, until } from "../../test/support/p2p/transport.ts";
import {
  COLLECTION_TIME,
  createTestCollector,
  judgeResult,
  startValidators,
  type TestValidator,
  taskFor,
  whileAdvancing,
} from "../../test/support/signatures/collection.ts";
import { P_CHAIN_ID } from "../codec/unsigned-message.ts";
import type { Quorum } from "../signature-source.ts";
import type { SigningTask } from "../signing-task.ts";
import type { Fault } from "../validator-sim/faults.ts";
import type { Simulator } from "../validator-sim/simulator.ts";

const FIVE = 5;
const MAX_WEIGHT = 2n ** 64n - 1n;
/** Only all validators together reach it, so that each answer is waited for. */
const ALL: Quorum = { quorumPercentage: 67, quorumPercentageBuffer: 33 };
const SOME: Quorum = { quorumPercentage: 67, quorumPercentageBuffer: 0 };

const equal = (count: number): TestValidator[] => Array.from({ length: count }, () => ({ weight: 10n }));

let keys: TestKeys;
let five: Simulator;
beforeAll(async () => {
  keys = await createTestKeys(0, COLLECTION_TIME);
  five = await startValidators(equal(FIVE));
});
afterAll(() => five[Symbol.asyncDispose]());

/** Gives the first of the five validators these faults, one list each, and none to the others. */
async function spoil(...faults: readonly (readonly Fault[])[]): Promise<void> {
  for (let index = 0; index < FIVE; index++) await five.setFaults(index, faults[index] ?? []);
}
const refuses = (code: number, times?: number): Fault => ({ kind: "refuses", code, message: "no", times });
const pChainTask = (): SigningTask => {
  const task = taskFor(five);
  return { ...task, message: { ...task.message, sourceChainId: P_CHAIN_ID } };
};

describe("an aggregate", () => {
  it.each([5, 10, 100])("of %d validators has the fewest signers, and those of the highest weight", async (count) => {
    await using simulator = await startValidators(equal(count));
    await using test = createTestCollector(keys, [simulator]);
    const { result, progress } = test.collect(taskFor(simulator));
    // On a busy machine, some connections may have to be repeated, which needs time that passes.
    const passing = setInterval(() => test.clock.advance(50), 50);
    const { signers, others, ...rest } = await result.finally(() => clearInterval(passing));
    const needed = Math.ceil(count * 0.67);
    expect(judgeResult(rest, simulator, 67)).toMatchObject({ isValid: true, weight: BigInt(needed * 10) });
    expect([signers.length, others.length]).toEqual([needed, count - needed]);
    expect(others.every(({ reason }) => reason === "NOT_NEEDED" || reason === "NOT_CONNECTED")).toBe(true);
    const totalWeight = String(count * 10);
    expect(rest).toMatchObject({ state: "DONE", totalWeight, pChainHeight: "1", collectedFrom: "validators" });
    expect(progress[0]).toMatchObject({ state: "CONNECTING", signedWeight: "0" });
    expect(test.transport.counts.pendingRequests).toBe(0);
  });

  const [two, three] = [2n, 3n];
  const required = (MAX_WEIGHT * 67n + 99n) / 100n;
  const cases: [string, readonly bigint[], Quorum, readonly number[], number | null][] = [
    ["exactly the quorum", [67n, 33n], SOME, [1], 1],
    ["one unit below the quorum", [66n, 34n], SOME, [1], null],
    ["exactly the quorum of the largest total", [required, MAX_WEIGHT - required], SOME, [1], 1],
    ["one unit below the quorum of the largest total", [required - 1n, MAX_WEIGHT - required + 1n], SOME, [1], null],
    ["all weight", [two, three], { quorumPercentage: 100, quorumPercentageBuffer: 0 }, [], 2],
    ["one percent", [two, three], { quorumPercentage: 1, quorumPercentageBuffer: 0 }, [], 1],
    ["quorum and buffer", [67n, 10n, 23n], { quorumPercentage: 67, quorumPercentageBuffer: 20 }, [], 2],
    ["the quorum, but not the buffer", [67n, 10n, 23n], { quorumPercentage: 67, quorumPercentageBuffer: 20 }, [2], 2],
  ];
  it.each(cases)("of %s", async (_, weights, quorum, refusing, signers) => {
    const used = five.population.nodes.slice(0, weights.length);
    const simulator = { ...five, population: { ...five.population, nodes: used } };
    await spoil(...weights.map((_weight, index) => (refusing.includes(index) ? [refuses(-1)] : [])));
    await using test = createTestCollector(keys, [simulator]);
    const { result } = test.collect(taskFor(simulator, {}, weights), quorum);
    if (signers === null)
      return await expect(result).rejects.toMatchObject({
        code: "INVALID_PARAMETER",
        message: expect.stringMatching(/signature weight is insufficient: 67\*\d+ > 100\*\d+;.*signed.*refused/),
      });
    expect(judgeResult(await result, simulator, quorum.quorumPercentage, weights)).toMatchObject({ isValid: true });
    return expect((await result).signers).toHaveLength(signers);
  });

  it("asks the heaviest validators first, and others only if some of these fail", async () => {
    const weights = [48n, 1n, 48n, 1n, 2n];
    await spoil();
    {
      await using test = createTestCollector(keys, [five]);
      await test.collect(taskFor(five, {}, weights), { quorumPercentage: 90 }).result;
      expect(test.transport.counts.requests).toBe(2);
    }
    await spoil([refuses(-1)]);
    await using test = createTestCollector(keys, [five]);
    const result = await test.collect(taskFor(five, {}, weights), { quorumPercentage: 52 }).result;
    expect(judgeResult(result, five, 52, weights)).toMatchObject({ isValid: true, weight: 52n });
    expect(test.transport.counts.requests).toBe(5);
  });

  it("asks few more than needed of many validators, and the others half a second later", async () => {
    const slow = Array.from({ length: 10 }, () => ({ weight: 11n, faults: [{ kind: "silent" } as Fault] }));
    await using simulator = await startValidators([...slow, ...equal(30)]);
    await using test = createTestCollector(keys, [simulator]);
    // The target weight is 275 of 410; validators with a weight of 275 + 41 are asked.
    const { result } = test.collect(taskFor(simulator));
    const { counts } = test.transport;
    await until(() => counts.requests === 31 && counts.pendingRequests === 10);
    test.clock.advance(499);
    expect(counts.requests).toBe(31);
    test.clock.advance(1);
    expect(judgeResult(await result, simulator, 67)).toMatchObject({ isValid: true, weight: 280n });
    expect(counts.requests).toBe(38);
  });

  it("counts the weight of a shared key once, and names all its nodes", async () => {
    await using simulator = await startValidators([{ weight: 30n }, { weight: 30n, keyOf: 0 }, { weight: 40n }]);
    await using test = createTestCollector(keys, [simulator]);
    const { signers, ...rest } = await test.collect(taskFor(simulator), { quorumPercentage: 100 }).result;
    expect(signers.map(({ weight, nodeIds }) => [weight, nodeIds.length]).sort()).toEqual([
      ["40", 1],
      ["60", 2],
    ]);
    expect(judgeResult(rest, simulator, 100)).toMatchObject({ isValid: true, weight: 100n });
  });

  it("needs no request if the signatures are known", async () => {
    await spoil();
    await using test = createTestCollector(keys, [five]);
    const { signedMessage } = await test.collect(taskFor(five)).result;
    const { requests } = test.transport.counts;
    const other = taskFor(five, { pChainHeight: 2n });
    expect((await test.collect(other).result).signedMessage).toBe(signedMessage);
    expect(test.transport.counts.requests).toBe(requests);
    expect(test.lookUps).toBe(1);
  });
});

describe("a validator that sends no valid signature", () => {
  const faults: Fault[] = [
    { kind: "other-key" },
    { kind: "other-message" },
    { kind: "old-message" },
    { kind: "signature-length", bytes: 5 },
    { kind: "signature-length", bytes: 95 },
    { kind: "signature-length", bytes: 97 },
    { kind: "infinity" },
    { kind: "outside-subgroup" },
    { kind: "random-bytes" },
    { kind: "garbage-protobuf" },
  ];
  it.each(isFullRun ? faults : faults.slice(4, 8))("is not a signer, with $kind", async (fault) => {
    await spoil([fault]);
    await using test = createTestCollector(keys, [five]);
    for (const times of [1, 2]) {
      const result = await test.collect(taskFor(five), ALL).result;
      expect(judgeResult(result, five, 67)).toMatchObject({ isValid: true, weight: 40n });
      const nodeIds = [five.population.nodes[0]?.nodeId];
      expect(result.others).toMatchObject([{ nodeIds, reason: "INVALID_SIGNATURE", weight: "10" }]);
      // The valid signatures are known the second time; the invalid one is not.
      expect(test.transport.counts.requests).toBe(4 + times);
    }
    expect(test.transport.counts.connections).toBe(5);
  });

  it("is found if its signature cancels another invalid one in a sum", async () => {
    await spoil([{ kind: "shifted", direction: "plus" }], [{ kind: "shifted", direction: "minus" }]);
    await using test = createTestCollector(keys, [five]);
    await expect(test.collect(taskFor(five), ALL).result).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(/67\*50 > 100\*30;.* 30 signed, 20 sent an invalid signature; try again/),
    });
  });

  it.each<Fault["kind"]>(
    isFullRun
      ? ["garbage-zstd", "zip-bomb", "oversize-frame", "other-chain-id", "disconnects-before"]
      : ["zip-bomb", "oversize-frame"],
  )("does not stop the others, with %s", async (kind) => {
    await spoil([{ kind } as Fault]);
    await using test = createTestCollector(keys, [five]);
    const { result } = test.collect(taskFor(five));
    expect(judgeResult(await result, five, 67)).toMatchObject({ isValid: true, weight: 40n });
    expect((await result).others).toMatchObject([{ nodeIds: [five.population.nodes[0]?.nodeId] }]);
  });

  it.each<Fault["kind"]>(
    isFullRun
      ? ["twice", "second-differs", "uncompressed", "fragments", "noise", "disconnects-after"]
      : ["second-differs", "disconnects-after"],
  )("is not one with %s", async (kind) => {
    await spoil([{ kind } as Fault]);
    await using test = createTestCollector(keys, [five]);
    const { result } = test.collect(taskFor(five), ALL);
    expect(judgeResult(await result, five, 67)).toMatchObject({ isValid: true, weight: 50n });
  });
});

describe("a validator that refuses", () => {
  it.each(isFullRun ? [-1, 1, 2, 3, 4, 5, 7, 8, 9, 10, 13, 15, 17] : [-1, 7])(
    "with code %d of the P-Chain is not asked again, and the caller gets the code at once",
    async (code) => {
      const all = Array.from({ length: FIVE }, () => [refuses(code)]);
      await spoil(...all);
      await using test = createTestCollector(keys, [five]);
      await expect(test.collect(pChainTask()).result).rejects.toMatchObject({
        code: "INVALID_PARAMETER",
        message: expect.stringMatching(
          new RegExp(
            `^validators refuse to sign message 0x[0-9a-f]{64} \\(code ${code}: [a-zA-Z]+.*; a node says: no\\): signature weight is insufficient: 67\\*50 > 100\\*0;.*: 0 signed, \\d0 refused \\(code ${code}\\)(, \\d0 were not waited for)?$`,
          ),
        ),
      });
      expect(test.transport.counts.requests).toBeLessThanOrEqual(FIVE);
    },
  );

  it.each(isFullRun ? [6, 11, 12, 14, 16, -4] : [16, -4])(
    "with code %d of the P-Chain is asked again for some seconds",
    async (code) => {
      const all = Array.from({ length: FIVE }, () => [refuses(code)]);
      await spoil(...all);
      await using test = createTestCollector(keys, [five]);
      const { result } = test.collect(pChainTask());
      const failure = code === -4 ? "UNAVAILABLE" : "INVALID_PARAMETER";
      await expect(whileAdvancing(test.clock, result, 500)).rejects.toMatchObject({
        code: failure,
        message: expect.stringContaining(`code ${code}: `),
      });
      expect(test.transport.counts.requests).toBeGreaterThanOrEqual(4 * FIVE);
      expect(test.clock.nowMs()).toBeLessThan(10_000);
    },
  );

  it("because the chain signs no messages: the request is invalid if all refuse, and not if two of five do", async () => {
    const all = Array.from({ length: FIVE }, () => [refuses(-2)]);
    await spoil(...all);
    {
      await using test = createTestCollector(keys, [five]);
      await expect(test.collect(taskFor(five)).result).rejects.toMatchObject({
        code: "INVALID_PARAMETER",
        message: expect.stringContaining("(code -2: the chain does not sign messages; a node says: no)"),
      });
    }
    await spoil([refuses(-2)], [refuses(-2)]);
    await using other = createTestCollector(keys, [five]);
    await expect(other.collect(taskFor(five)).result).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it.each([
    ["has not seen the message", { kind: "empty", times: 2 } as Fault],
    ["is a block behind", refuses(2, 2)],
    ["is throttled", refuses(-4, 2)],
  ])("for a moment because it %s signs later", async (_, fault) => {
    await spoil([fault], [fault]);
    await using test = createTestCollector(keys, [five]);
    const result = await whileAdvancing(test.clock, test.collect(taskFor(five), ALL).result, 250);
    expect(judgeResult(result, five, 67)).toMatchObject({ isValid: true, weight: 50n });
    expect(test.transport.counts.requests).toBe(9);
  });

  it("is reported with its weight and the meaning of its code", async () => {
    await spoil([refuses(2)], [{ kind: "empty" }]);
    await using test = createTestCollector(keys, [five]);
    const { result } = test.collect(taskFor(five));
    await expect(whileAdvancing(test.clock, result, 500)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(
        /67\*50 > 100\*30; .* 30 signed, 10 refused \(code 2: the node cannot verify .*; a node says: no\), 10 have not seen the message; try again/,
      ),
    });
    await spoil([refuses(2)]);
    const { others } = await whileAdvancing(test.clock, test.collect(taskFor(five), ALL).result, 500);
    expect(others).toMatchObject([{ reason: "REFUSED", errorCode: 2, detail: expect.stringContaining("says: no") }]);
  });
});

describe("time", () => {
  it("is not lost on a validator that is slower than the others", async () => {
    await spoil([{ kind: "silent" }]);
    await using test = createTestCollector(keys, [five]);
    const { others } = await test.collect(taskFor(five)).result;
    expect(others).toMatchObject([{ reason: "NOT_NEEDED" }]);
    expect([test.clock.nowMs(), test.transport.counts.pendingRequests]).toEqual([0, 0]);
  });

  it("for an answer ends at the deadline and not earlier", async () => {
    await spoil([{ kind: "silent" }], [{ kind: "silent" }]);
    await using test = createTestCollector(keys, [five]);
    const { result, progress } = test.collect(taskFor(five));
    result.catch(() => {});
    await until(() => progress.at(-1)?.signedWeight === "30");
    test.clock.advance(9_999);
    expect(test.transport.counts).toMatchObject({ pendingRequests: 2, timeouts: 0 });
    test.clock.advance(1);
    await expect(result).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(/30 signed, 20 did not answer in time; try again/),
    });
  });

  it("for the buffer ends at the deadline, with the quorum", async () => {
    await spoil([{ kind: "silent" }]);
    await using test = createTestCollector(keys, [five]);
    const { result, progress } = test.collect(taskFor(five), ALL);
    await until(() => progress.at(-1)?.signedWeight === "40");
    test.clock.advance(10_000);
    expect((await result).others).toMatchObject([{ reason: "TIMEOUT" }]);
  });

  it("for everything ends after 55 seconds", async () => {
    await spoil([{ kind: "silent" }], [{ kind: "silent" }]);
    await using test = createTestCollector(keys, [five], { requestMs: 600_000 });
    const { result, progress } = test.collect(taskFor(five));
    result.catch(() => {});
    await until(() => progress.at(-1)?.signedWeight === "30");
    for (let seconds = 0; seconds < 55; seconds++) test.clock.advance(1_000);
    await expect(result).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(test.transport.counts.pendingRequests).toBe(0);
  });

  it("ends when the caller leaves", async () => {
    await spoil([{ kind: "silent" }], [{ kind: "silent" }]);
    await using test = createTestCollector(keys, [five]);
    const leave = new AbortController();
    const { result, progress } = test.collect(taskFor(five), SOME, leave.signal);
    result.catch(() => {});
    await until(() => progress.at(-1)?.signedWeight === "30");
    leave.abort(new Error("left"));
    await expect(result).rejects.toThrow("left");
    await until(() => test.transport.counts.pendingRequests === 0);
  });
});

describe("a threshold of stake", () => {
  it("that has no BLS keys fails without a request", async () => {
    const noKey = { weight: 40n, noKey: true };
    await using simulator = await startValidators([{ weight: 30n }, { weight: 30n }, noKey]);
    await using test = createTestCollector(keys, [simulator]);
    await expect(test.collect(taskFor(simulator)).result).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(
        /threshold of stake .* have 60, .*signature weight is insufficient: 67\*100 > 100\*60/,
      ),
    });
    expect(test.transport.counts.dials).toBe(0);
    const { others } = await test.collect(taskFor(simulator), { quorumPercentage: 60 }).result;
    expect(others).toMatchObject([{ reason: "NO_KEY", weight: "40", publicKey: null }]);
  });

  it.each<Fault["kind"]>(
    isFullRun
      ? ["refuses-tcp", "wrong-certificate", "wrong-network-id", "tls-1.2", "no-handshake"]
      : ["refuses-tcp", "wrong-certificate"],
  )("that is not connected after 30 seconds fails without a request, with %s", async (kind) => {
    const fault = { kind } as Fault;
    await using simulator = await startValidators([
      { weight: 40n },
      { weight: 30n, faults: [fault] },
      { weight: 30n, faults: [fault] },
    ]);
    await using test = createTestCollector(keys, [simulator]);
    const { result } = test.collect(taskFor(simulator));
    await expect(whileAdvancing(test.clock, result, 1_000)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(
        /could not connect to a threshold of stake .* 40 of 100 are connected, and 67 \(67%\) is required; 2 validators are not connected; for example NodeID-\w+: ./,
      ),
    });
    expect(test.transport.counts.requests).toBe(0);
  });

  it("is connected again after connections were lost", async () => {
    await spoil([{ kind: "disconnects-before", times: 1 }], [{ kind: "disconnects-before", times: 1 }]);
    await using test = createTestCollector(keys, [five]);
    const result = await whileAdvancing(test.clock, test.collect(taskFor(five)).result, 100);
    expect(judgeResult(result, five, 67)).toMatchObject({ isValid: true, weight: 40n });
  });

  it("fails if there are no validators", async () => {
    await using test = createTestCollector(keys, []);
    const nobody = taskFor({ population: { ...five.population, nodes: [] } });
    await expect(test.collect(nobody).result).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: "subnet 11111111111111111111111111111111LpoYY at P-Chain height 1 has no validators",
    });
  });
});
