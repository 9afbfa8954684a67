import { createTestKeys, type TestKeys } from "../../test/support/p2p/transport.ts";
import {
  COLLECTION_TIME,
  createTestCollector,
  judgeResult,
  startValidators,
  type TestValidator,
  taskFor,
} from "../../test/support/signatures/collection.ts";

let keys: TestKeys;
beforeAll(async () => {
  keys = await createTestKeys(0, COLLECTION_TIME);
});

const equal = (count: number): TestValidator[] => Array.from({ length: count }, () => ({ weight: 10n }));

describe("the collector", () => {
  it.each([5, 10, 100])("aggregates the signatures of the fewest of %d validators", async (count) => {
    await using simulator = await startValidators(equal(count));
    await using test = createTestCollector(keys, [simulator]);
    const result = await test.collect(taskFor(simulator)).result;
    const needed = Math.ceil(count * 0.67);
    const judgement = judgeResult(result, simulator, 67);
    expect(judgement).toMatchObject({ isValid: true, weight: BigInt(needed * 10) });
    expect(result.signers).toHaveLength(needed);
    expect(result.others).toHaveLength(count - needed);
  });
});
