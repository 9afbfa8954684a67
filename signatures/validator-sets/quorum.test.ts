import { createRandomIntegers } from "../../test/support/random.ts";
import { setOf } from "../../test/support/recorded/warp-sets.ts";
import { bytesOf, type WarpVector, warpVector, warpVectors } from "../../test/support/recorded/warp-vectors.ts";
import { decodeBitSet, encodeBitSet } from "./bit-set.ts";
import { InvalidValidatorSet } from "./invalid-validator-set.ts";
import { isQuorumMet, requiredWeight } from "./quorum.ts";
import { fewestSigners, validatorsAt, weightOf } from "./signers.ts";

const MAX = 2n ** 64n - 1n;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("a bit set of signers", () => {
  it.each([
    [[], ""],
    [[0], "01"],
    [[1, 2], "06"],
    [[7], "80"],
    [[8], "0100"],
    [[3, 4, 8, 14, 18, 22, 23], "c44118"],
    [[999], `80${"00".repeat(124)}`],
  ])("%j is written with the fewest bytes", (indexes, bytes) => {
    expect(hex(encodeBitSet(indexes))).toBe(bytes);
    expect(decodeBitSet(bytesOf(bytes), 1_000)).toEqual(indexes);
  });

  it("is the big-endian number with these bits, in any order of the indexes", () => {
    const random = createRandomIntegers(7);
    for (let round = 0; round < 50; round++) {
      const indexes = [...new Set(Array.from({ length: random() % 20 }, () => random() % 100))];
      const number = indexes.reduce((sum, index) => sum | (1n << BigInt(index)), 0n);
      const digits = number === 0n ? "" : number.toString(16);
      expect(hex(encodeBitSet(indexes))).toBe(digits.padStart(digits.length + (digits.length % 2), "0"));
      expect(decodeBitSet(encodeBitSet(indexes), 100)).toEqual(indexes.sort((a, b) => a - b));
    }
  });

  it.each(["00", "0001", "000000"])("is refused if it begins with a zero byte: %s", (bytes) => {
    expect(() => decodeBitSet(bytesOf(bytes), 1_000)).toThrow("begins with a zero byte");
  });

  it.each([
    ["01", 0, 0],
    ["20", 5, 5],
    ["ff", 7, 7],
    ["0100", 8, 8],
    [`01${"00".repeat(100_000)}`, 5, 800_000],
  ])("is refused if it has a bit above the validators: %s of %d", (bytes, count, index) => {
    expect(() => decodeBitSet(bytesOf(bytes), count)).toThrow(InvalidValidatorSet);
    expect(() => decodeBitSet(bytesOf(bytes), count)).toThrow(`has index ${index}, but there are ${count} validators`);
    if (index < 100) expect(decodeBitSet(bytesOf(bytes), count + 1)).toContain(index);
  });

  it("has the bits of each recorded aggregate", () => {
    for (const { all, minimal, validatorSet } of warpVectors())
      for (const { signers, signerBits } of [all, minimal]) {
        expect(hex(encodeBitSet(signers))).toBe(signerBits);
        expect(decodeBitSet(bytesOf(signerBits), validatorSet.canonical.length)).toEqual(signers);
      }
  });
});

describe("a quorum", () => {
  it.each([
    [100n, 67, 67n],
    [10_000_000_000_000_000n, 67, 6_700_000_000_000_000n],
    [115n, 67, 78n],
    [1n, 1, 1n],
    [1n, 67, 1n],
    [1n, 100, 1n],
    [3n, 33, 1n],
    [3n, 34, 2n],
    [99n, 1, 1n],
    [101n, 1, 2n],
    [MAX, 1, 184_467_440_737_095_517n],
    [MAX, 67, 12_359_318_529_385_399_583n],
    [MAX, 99, 18_262_276_632_972_456_099n],
    [MAX, 100, MAX],
    [2n ** 53n + 1n, 100, 2n ** 53n + 1n],
  ])("of the weight %d at %d %% is met by %d, and not by one less", (total, quorum, required) => {
    expect(requiredWeight(total, quorum)).toBe(required);
    expect(isQuorumMet(required, total, quorum)).toBe(true);
    expect(isQuorumMet(required - 1n, total, quorum)).toBe(false);
    expect(isQuorumMet(total, total, quorum)).toBe(true);
  });

  it.each([0, -1, 101, 66.5, Number.NaN, Number.POSITIVE_INFINITY])("cannot be %d", (quorum) => {
    expect(() => isQuorumMet(1n, 1n, quorum)).toThrow(InvalidValidatorSet);
    expect(() => requiredWeight(1n, quorum)).toThrow("an integer from 1 to 100");
  });

  it("of the recorded sets requires the recorded weight", () => {
    for (const { validatorSet, quorum } of warpVectors())
      expect(String(requiredWeight(BigInt(validatorSet.totalWeight), quorum.numerator))).toBe(quorum.required);
  });
});

describe("the fewest signers", () => {
  const recordedSet = ({ validatorSet }: WarpVector) => setOf(validatorSet.raw.getValidatorsAt);

  it("of the recorded answers have the weight and number of the recorded minimal aggregates", () => {
    for (const vector of warpVectors()) {
      const set = recordedSet(vector);
      const fewest = fewestSigners(set, vector.all.signers, vector.quorum.numerator) as number[];
      expect(fewest).toEqual(vector.minimal.signers);
      expect(String(weightOf(validatorsAt(set, fewest)))).toBe(vector.minimal.signerWeight);
    }
  });

  it("are none if all together do not meet the quorum", () => {
    const set = recordedSet(warpVector("c-chain-message"));
    expect(fewestSigners(set, [0], 100)).toBeNull();
    expect(fewestSigners(set, [], 1)).toBeNull();
    expect(() => validatorsAt(set, [set.validators.length])).toThrow(RangeError);
  });
});
