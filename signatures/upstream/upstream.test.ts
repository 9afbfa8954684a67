import { createManualClock } from "../../test/support/p2p/manual-clock.ts";
import { until } from "../../test/support/p2p/transport.ts";
import {
  COLLECTION_QUORUM,
  COLLECTION_TIME,
  judgeResult,
  startValidators,
  taskFor,
} from "../../test/support/signatures/collection.ts";
import { createUpstream } from "./upstream.ts";

const FIVE = Array.from({ length: 5 }, () => ({ weight: 10n }));

/** Asks a simulated signature-aggregator that answers in this way. */
async function ask(aggregator: string, changed: Parameters<typeof taskFor>[1] = {}) {
  await using simulator = await startValidators(FIVE, { aggregator });
  const source = createUpstream({ clock: createManualClock(COLLECTION_TIME) })(simulator.population.url);
  const caller = { signal: new AbortController().signal, onProgress: () => {} };
  return { result: await source.collect(taskFor(simulator, changed), COLLECTION_QUORUM, caller), simulator };
}

describe("the signature-aggregator", () => {
  it("gives an aggregate, which is verified", async () => {
    const { result, simulator } = await ask("honest");
    expect(judgeResult(result, simulator, 67)).toMatchObject({ isValid: true, weight: 40n });
    expect(result).toMatchObject({ collectedFrom: "aggregator", state: "DONE", signedWeight: "40" });
    expect([result.signers.length, result.others.length]).toEqual([4, 1]);
  });

  it.each([
    ["below-quorum", "signature weight is insufficient: 67*50 > 100*10"],
    ["wrong-signature", "the aggregate signature is not that of the signers"],
    ["wrong-bits", "is refused: it is not valid for the validators of subnet"],
    ["other-message", "is refused: it is not valid for the validators of subnet"],
    ["not-hex", "it has no signed message in hex"],
    ["not-json", "it has no signed message in hex"],
  ])("is not believed if it lies with %s", async (lie, reason) => {
    await expect(ask(lie)).rejects.toMatchObject({ code: "UPSTREAM_FAILED", message: expect.stringContaining(reason) });
  });

  it("gives its errors to the caller", async () => {
    await expect(ask("error")).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("HTTP 500: failed to aggregate signatures. error: context deadline exceeded"),
    });
    await expect(ask("honest", { unsignedBytes: Buffer.alloc(5) })).rejects.toMatchObject({
      code: "INVALID_PARAMETER",
      message: expect.stringContaining("HTTP 400"),
    });
  });

  it("has 55 seconds, and is given up when the caller leaves", async () => {
    await using simulator = await startValidators(FIVE, { aggregator: "silent" });
    const clock = createManualClock(COLLECTION_TIME);
    const source = createUpstream({ clock })(simulator.population.url);
    const leave = new AbortController();
    const caller = { signal: leave.signal, onProgress: () => {} };
    const [late, left] = [1, 2].map(() => source.collect(taskFor(simulator), COLLECTION_QUORUM, caller));
    await until(() => clock.timers.length === 2);
    clock.advance(54_999);
    expect(clock.timers).toEqual([1, 1]);
    clock.advance(1);
    await expect(late).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: "the signature-aggregator did not answer within 55 s",
    });
    await expect(left).rejects.toMatchObject({ code: "UNAVAILABLE" });
    const third = source.collect(taskFor(simulator), COLLECTION_QUORUM, caller);
    leave.abort(new Error("left"));
    await expect(third).rejects.toThrow("left");
    expect(clock.timers).toEqual([]);
  });

  it("is UPSTREAM_FAILED if nothing answers", async () => {
    await using simulator = await startValidators(FIVE);
    const source = createUpstream({ clock: createManualClock(COLLECTION_TIME) })("http://127.0.0.1:1");
    const caller = { signal: new AbortController().signal, onProgress: () => {} };
    await expect(source.collect(taskFor(simulator), COLLECTION_QUORUM, caller)).rejects.toMatchObject({
      code: "UPSTREAM_FAILED",
      message: expect.stringContaining("could not be used"),
    });
  });
});
