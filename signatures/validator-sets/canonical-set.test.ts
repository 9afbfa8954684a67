import { isFullRun } from "../../test/support/full.ts";
import { createRandomIntegers } from "../../test/support/random.ts";
import { entriesOf } from "../../test/support/recorded/warp-sets.ts";
import { warpVectors } from "../../test/support/recorded/warp-vectors.ts";
import { publicKeyOf } from "../../test/support/signatures/public-key.ts";
import { InvalidPoint } from "../bls/invalid-point.ts";
import { createKeyCache } from "../bls/key-cache.ts";
import { parseSecretKey } from "../bls/keys.ts";
import { createCanonicalSet, type ValidatorEntry } from "./canonical-set.ts";
import { InvalidValidatorSet } from "./invalid-validator-set.ts";

const MAX = 2n ** 64n - 1n;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
/** The keys of the public local network, avalanchego, staking/local, by the number in their names. */
const KEYS = [1, 2, 3, 4, 5].map(
  (index) => publicKeyOf(parseSecretKey(Buffer.from(`AvalancheLocalNetworkValidator0${index}`))).compressed,
);
const entry = (nodeId: string, weight: bigint, key: number | null): ValidatorEntry => ({
  nodeId,
  weight,
  publicKey: key === null ? null : (KEYS[key - 1] as Uint8Array),
});
describe("a canonical validator set", () => {
  it("is that of the node at the height of each recorded message, in the order of its bits", () => {
    for (const { validatorSet } of warpVectors()) {
      const { validators, totalWeight } = createCanonicalSet(entriesOf(validatorSet.raw.getValidatorsAt));
      const ours = validators.map(({ publicKey, weight, nodeIds }) => ({
        publicKey: `0x${hex(publicKey.compressed)}`,
        weight: String(weight),
        nodeIDs: nodeIds,
      }));
      expect({ validators: ours, totalWeight: String(totalWeight) }).toEqual(validatorSet.raw.getAllValidatorsAt);
      expect(validators.map(({ publicKey }) => hex(publicKey.uncompressed))).toEqual(
        validatorSet.canonical.map(({ publicKeyUncompressed }) => publicKeyUncompressed),
      );
    }
  });

  it("is ordered by the uncompressed keys; compressed keys would give another order", () => {
    const names = ["7Xhw2m", "MFrZFV", "NFBbbJ", "GWPcbF", "P7oB2M"];
    const { validators } = createCanonicalSet(names.map((name, index) => entry(name, 1n, index + 1)));
    expect(validators.flatMap(({ nodeIds }) => nodeIds)).toEqual(["P7oB2M", "MFrZFV", "NFBbbJ", "GWPcbF", "7Xhw2m"]);
    const byCompressed = validators.toSorted((one, other) =>
      Buffer.compare(one.publicKey.compressed, other.publicKey.compressed),
    );
    expect(byCompressed.flatMap(({ nodeIds }) => nodeIds)).toEqual(["P7oB2M", "7Xhw2m", "MFrZFV", "NFBbbJ", "GWPcbF"]);
  });

  it("counts validators without a key in the total only", () => {
    const set = createCanonicalSet([entry("a", 60n, 1), entry("b", 39n, null), entry("c", 1n, null)]);
    expect([set.totalWeight, set.validators.map(({ weight }) => weight)]).toEqual([100n, [60n]]);
    expect(createCanonicalSet([entry("a", 7n, null)])).toEqual({ validators: [], totalWeight: 7n });
    expect(createCanonicalSet([])).toEqual({ validators: [], totalWeight: 0n });
  });

  it("merges validators that share a key", () => {
    const set = createCanonicalSet([entry("b", 2n, 1), entry("c", 8n, 2), entry("a", 5n, 1)]);
    const merged = set.validators.find(({ nodeIds }) => nodeIds.length === 2);
    expect([set.validators.length, set.totalWeight]).toEqual([2, 15n]);
    expect([merged?.weight, merged?.nodeIds]).toEqual([7n, ["a", "b"]]);
  });

  it("does not depend on the order of the entries, nor on a key cache", () => {
    const entries = [entry("a", 1n, 1), entry("b", 2n, 2), entry("c", 3n, null), entry("d", 4n, 1), entry("e", 5n, 3)];
    const plain = (all: ReturnType<typeof createCanonicalSet>) => ({
      ...all,
      validators: all.validators.map((one) => ({ ...one, publicKey: hex(one.publicKey.compressed) })),
    });
    const expected = plain(createCanonicalSet(entries));
    const random = createRandomIntegers(11);
    const cache = createKeyCache(2);
    for (let round = 0; round < (isFullRun ? 100 : 5); round++) {
      const shuffled = entries.map((one) => ({ one, rank: random() })).sort((a, b) => a.rank - b.rank);
      const all = shuffled.map(({ one }) => one);
      expect(plain(createCanonicalSet(all, cache))).toEqual(expected);
    }
  });

  it("may weigh 2^64 - 1 in total, and not more", () => {
    expect(createCanonicalSet([entry("a", MAX - 1n, 1), entry("b", 1n, null)]).totalWeight).toBe(MAX);
    const above = [
      [entry("a", MAX, 1), entry("b", 1n, 2)],
      [entry("a", MAX, 1), entry("b", 1n, null)],
      [entry("a", MAX, 1), entry("b", 1n, 1)],
    ];
    for (const entries of above) expect(() => createCanonicalSet(entries)).toThrow("exceeds 64 bits at b");
    for (const weight of [-1n, MAX + 1n])
      expect(() => createCanonicalSet([entry("a", weight, 1)])).toThrow(InvalidValidatorSet);
  });

  it("is refused if a key is invalid", () => {
    const publicKey = Buffer.alloc(48);
    expect(() => createCanonicalSet([{ nodeId: "a", weight: 1n, publicKey }])).toThrow(InvalidPoint);
  });
});
