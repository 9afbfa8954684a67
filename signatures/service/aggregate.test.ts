import { Failure } from "../../core/errors/errors.ts";
import { plainTask } from "../../test/support/signatures/collection.ts";
import type { AggregationInput, AggregationProgress, AggregationResult } from "../protocol/protocol.ts";
import type { Resolver } from "../resolve/resolver.ts";
import type { SignatureSource } from "../signature-source.ts";
import { aggregate } from "./aggregate.ts";

const RESULT = { signedMessage: "00" } as AggregationResult; // only its identity matters

/** Aggregates with these proposed heights in turn, of which only `good` has a quorum. Returns the outcome and all progress. */
async function run(heights: bigint[], good: bigint | null, pChainHeight = "0") {
  const input = { pChainHeight } as AggregationInput; // the resolver below reads nothing else
  const resolver: Pick<Resolver, "resolve"> = {
    resolve: async () => plainTask({ pChainHeight: heights.shift() ?? 0n }),
  };
  const source: SignatureSource = {
    async collect({ pChainHeight: height }, _quorum, { onProgress }) {
      onProgress({ state: "COLLECTING", pChainHeight: String(height), signedWeight: "1" } as AggregationProgress);
      if (height !== good) throw new Failure("UNAVAILABLE", `too few at ${height}`);
      return RESULT;
    },
  };
  const progress: AggregationProgress[] = [];
  const caller = { signal: new AbortController().signal, onProgress: (one: AggregationProgress) => progress.push(one) };
  const result = await aggregate({ resolver: resolver as Resolver, source }, input, caller).catch(String);
  return { result, states: progress.map((one) => `${one.state} ${one.pChainHeight}`) };
}

describe("an aggregation", () => {
  it("that fails has the state FAILED at last", async () => {
    expect(await run([7n, 7n], null)).toEqual({
      result: expect.stringContaining("too few at 7"),
      states: ["COLLECTING 7", "FAILED 7"],
    });
  });

  it("asks the validators of the next proposed height, once, if too few of the first one signed", async () => {
    expect(await run([7n, 8n], 8n)).toEqual({ result: RESULT, states: ["COLLECTING 7", "COLLECTING 8"] });
    expect((await run([7n, 8n, 9n], 9n)).states).toEqual(["COLLECTING 7", "COLLECTING 8", "FAILED 8"]);
    expect((await run([7n, 8n], 8n, "7")).states).toEqual(["COLLECTING 7", "FAILED 7"]);
  });
});
