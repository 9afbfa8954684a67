import { Signature as SignaturePoint } from "@chainsafe/blst";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { isSigned, sumOf } from "../../test/support/oracle/warp-oracle.ts";
import { bytesOf, warpVector } from "../../test/support/recorded/warp-vectors.ts";
import { publicKeyOf } from "../../test/support/signatures/public-key.ts";
import { InvalidPoint } from "./invalid-point.ts";
import { createKeyCache } from "./key-cache.ts";
import { type PublicKey, parsePublicKey, parseSecretKey, type SecretKey } from "./keys.ts";
import { signPossession } from "./possession.ts";
import { aggregate, isSignedByAll, parseSignature, sign } from "./signatures.ts";
import { verifyVotes } from "./votes.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const MESSAGE = Buffer.from("a message");

/** The key of the public local network's validator, avalanchego, staking/local: its secret is this text. */
const localKey = (index: number): SecretKey =>
  parseSecretKey(Buffer.from(`AvalancheLocalNetworkValidator0${index}`, "ascii"));
const secretOf = (number: number): SecretKey => parseSecretKey(bytesOf(number.toString(16).padStart(64, "0")));
const pointOf = (bytes: Uint8Array) => bls12_381.G1.Point.fromBytes(bytes);

/** A point of the curve of signatures that is not in the group: the first whose x is a small number. */
function signatureOutsideTheGroup(): Uint8Array {
  for (let x = 1; x < 100; x++) {
    const bytes = Buffer.alloc(96);
    bytes[0] = 0x80;
    bytes[95] = x;
    try {
      SignaturePoint.fromBytes(bytes, false);
      return bytes;
    } catch {}
  }
  throw new Error("no small number is the x of a point");
}

describe("BLS keys", () => {
  it("of the public local network follow from their secrets, and are those of the recordings", () => {
    const recorded = warpVector("c-chain-message").validatorSet.canonical;
    const keys = [1, 2, 3, 4, 5].map((index) => publicKeyOf(localKey(index)));
    expect(keys.map(({ compressed }) => hex(compressed)).sort()).toEqual(
      recorded.map(({ publicKey }) => publicKey).sort(),
    );
    for (const { publicKey, publicKeyUncompressed } of recorded)
      expect(hex(parsePublicKey(bytesOf(publicKey)).uncompressed)).toBe(publicKeyUncompressed);
  });

  it.each([
    ["47 bytes", "00".repeat(47), "must have 48 bytes, got 47"],
    ["no bytes", "", "must have 48 bytes, got 0"],
    ["the uncompressed form", hex(publicKeyOf(localKey(1)).uncompressed), "must have 48 bytes, got 96"],
    ["infinity", `c0${"00".repeat(47)}`, "infinity"],
    ["zeros", "00".repeat(48), "invalid BLS public key"],
    ["a point that is not on the curve", `80${"00".repeat(46)}01`, "invalid BLS public key"],
    ["a point outside the group", `80${"00".repeat(46)}04`, "invalid BLS public key"],
    ["a number above the field's order", "9f".padEnd(96, "f"), "invalid BLS public key"],
  ])("are refused with %s", (_, bytes, problem) => {
    expect(() => parsePublicKey(bytesOf(bytes))).toThrow(InvalidPoint);
    expect(() => parsePublicKey(bytesOf(bytes))).toThrow(problem);
  });

  it("must have secrets from 1 to the group's order - 1", () => {
    const { ORDER } = bls12_381.fields.Fr;
    const of = (secret: bigint) => parseSecretKey(bytesOf(secret.toString(16).padStart(64, "0")));
    for (const secret of [1n, ORDER - 1n]) expect(of(secret).bytes).toHaveLength(32);
    for (const secret of [0n, ORDER, ORDER + 1n, 2n ** 256n - 1n]) expect(() => of(secret)).toThrow(InvalidPoint);
    expect(() => parseSecretKey(Buffer.alloc(31, 1))).toThrow("must have 32 bytes, got 31");
  });

  it("in a cache are parsed once, and forgotten in the order of their last use", () => {
    const parse = createKeyCache(2);
    const [first, second, third] = [1, 2, 3].map((index) => publicKeyOf(localKey(index)).compressed) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    const known = [parse(first), parse(second)];
    expect([parse(first), parse(Buffer.from(second))]).toEqual(known);
    expect(parse(first)).toBe(known[0]);
    parse(third);
    expect([parse(first) === known[0], parse(second) === known[1]]).toEqual([true, false]);
    expect(() => parse(Buffer.alloc(48))).toThrow(InvalidPoint);
  });
});

describe("BLS signatures", () => {
  it("are those of AvalancheGo: three keys and their aggregate", () => {
    // icm-contracts, BLSTUtils.t.sol, testAggregateSigAgainstAvalancheGo
    const secrets = [
      "561fee6432efc4b109c69a2c4e1bd9cc474ce78ed7572fc4a220783030cdbcac",
      "18a52533cf7debd4b90b3d35d7c2a3783b524f69a03c4d3fa64cccf635338808",
      "4981010927d0c2233d810328805d451b8119f2c6ff50fc36f56ed5a56aa8690c",
    ].map((secret) => parseSecretKey(bytesOf(secret)));
    const message = Buffer.from("TestValidAggregation local signer");
    const keys = secrets.map(publicKeyOf);
    expect(hex(keys[0]?.uncompressed as Uint8Array)).toMatch(/^11ae567e08314b059b33771ff6fe3dc2.*515691802$/);
    const sum = aggregate(secrets.map((secret) => sign(secret, message)));
    expect(hex(sum.bytes)).toBe(
      "93548fe35a1be72e79719ce4631989efdaa29a88873d949201e510a6117b8c7b91dea1d5e6070f9996a31cef00afb0f4" +
        "04254a8979c8c7617710dfc324c989460be9c874c2584dbf114e04bcb1a9dd5894c788990948d1909f40cc692b9e1604",
    );
    expect(isSignedByAll(keys, message, sum)).toBe(true);
    expect(isSignedByAll(keys.slice(1), message, sum)).toBe(false);
    expect(isSignedByAll([], message, sum)).toBe(false);
  });

  it("verify with another library, and only for their key and message", () => {
    const [secret, other] = [localKey(1), localKey(2)];
    const signature = sign(secret, MESSAGE);
    expect(isSigned(signature.bytes, MESSAGE, pointOf(publicKeyOf(secret).compressed))).toBe(true);
    expect(isSignedByAll([publicKeyOf(secret)], MESSAGE, signature)).toBe(true);
    expect(isSignedByAll([publicKeyOf(other)], MESSAGE, signature)).toBe(false);
    expect(isSignedByAll([publicKeyOf(secret)], Buffer.from("another message"), signature)).toBe(false);
    expect(isSignedByAll([publicKeyOf(secret)], MESSAGE, parseSignature(signature.bytes))).toBe(true);
  });

  it.each([
    ["5 bytes", "00".repeat(5), "must have 96 bytes, got 5"],
    ["95 bytes", "00".repeat(95), "must have 96 bytes, got 95"],
    ["97 bytes", "00".repeat(97), "must have 96 bytes, got 97"],
    ["the uncompressed form", hex(sign(localKey(1), MESSAGE).point.toBytes(false)), "must have 96 bytes, got 192"],
    ["infinity", `c0${"00".repeat(95)}`, "infinity"],
    ["zeros", "00".repeat(96), "invalid BLS signature"],
    ["ones", "ff".repeat(96), "invalid BLS signature"],
    ["a point outside the group", hex(signatureOutsideTheGroup()), "BLS signature"],
  ])("are refused with %s", (_, bytes, problem) => {
    expect(() => parseSignature(bytesOf(bytes))).toThrow(InvalidPoint);
    expect(() => parseSignature(bytesOf(bytes))).toThrow(problem);
  });

  it("of keys that cancel out do not verify", () => {
    const { ORDER } = bls12_381.fields.Fr;
    const secrets = [secretOf(5), parseSecretKey(bytesOf((ORDER - 5n).toString(16)))];
    const signatures = secrets.map((secret) => sign(secret, MESSAGE));
    expect(isSignedByAll(secrets.map(publicKeyOf), MESSAGE, aggregate(signatures))).toBe(false);
  });
});

describe("votes", () => {
  const votesOf = (secrets: readonly SecretKey[], message = MESSAGE) =>
    secrets.map((secret) => ({ publicKey: publicKeyOf(secret), signature: sign(secret, message) }));

  it("are verified in one batch, which may be empty", async () => {
    expect(await verifyVotes(MESSAGE, [])).toEqual([]);
    expect(await verifyVotes(MESSAGE, votesOf([1, 2, 3].map(localKey)))).toEqual([true, true, true]);
    const twice = votesOf([localKey(1), localKey(1)]);
    expect(await verifyVotes(MESSAGE, twice)).toEqual([true, true]);
  });

  it("of two keys that cancel out in a plain sum are found to be invalid", async () => {
    const [one, other, honest] = votesOf([1, 2, 3].map(localKey)) as [Vote, Vote, Vote];
    const difference = sign(localKey(4), MESSAGE).bytes;
    const added = parseSignature(sumOf([one.signature.bytes, difference]));
    const subtracted = parseSignature(sumOf([other.signature.bytes], [difference]));
    const keys = [one.publicKey, other.publicKey];
    expect(isSignedByAll(keys, MESSAGE, aggregate([added, subtracted]))).toBe(true);
    const votes = [{ ...one, signature: added }, honest, { ...other, signature: subtracted }];
    expect(await verifyVotes(MESSAGE, votes)).toEqual([false, true, false]);
  });

  it("are rejected with another key, another message, or the signatures of two keys exchanged", async () => {
    const [one, other] = votesOf([1, 2].map(localKey)) as [Vote, Vote];
    const exchanged = [
      { publicKey: one.publicKey, signature: other.signature },
      { publicKey: other.publicKey, signature: one.signature },
    ];
    expect(
      isSignedByAll([one.publicKey, other.publicKey], MESSAGE, aggregate(exchanged.map(({ signature }) => signature))),
    ).toBe(true);
    expect(await verifyVotes(MESSAGE, exchanged)).toEqual([false, false]);
    expect(await verifyVotes(MESSAGE, [...votesOf([localKey(3)], Buffer.from("other")), one])).toEqual([false, true]);
  });

  it("of 100 keys are judged one by one if some are invalid, and the event loop is free meanwhile", async () => {
    const votes = votesOf(Array.from({ length: 100 }, (_, index) => secretOf(index + 1)));
    const invalid = new Set([0, 41, 42, 99]);
    const mixed = votes.map((vote, index) =>
      invalid.has(index) ? { ...vote, signature: (votes[50] as Vote).signature } : vote,
    );
    let isDone = false;
    const wasFree = new Promise<boolean>((resolve) => setImmediate(() => resolve(!isDone)));
    const judged = await verifyVotes(MESSAGE, mixed);
    isDone = true;
    expect(judged.flatMap((isValid, index) => (isValid ? [] : [index]))).toEqual([...invalid]);
    expect(await wasFree).toBe(true);
  });
});

type Vote = Parameters<typeof verifyVotes>[1][number];

describe("proofs of possession", () => {
  const bls = bls12_381.longSignatures;
  const TAG = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
  const isProofOfPossession = ({ compressed }: PublicKey, proof: { readonly bytes: Uint8Array }): boolean =>
    bls.verify(proof.bytes, bls.hash(compressed, TAG), compressed);

  /** Of a node of the recording alpha, from its `info.getNodeID`. */
  const KEY = "afd2969d39babc2643f88685fd0040b07ee95ac8f280b8a2d0d30faabb38931b0ef2af066c62186aacf82963e82ba611";
  const PROOF =
    "b83a0861f8877d150168b73cbbb155f3bda6e14853d4e3469bca80599e6f1406bd2b63bf97c43a6b462341e4afd8b8c5" +
    "026ff411fa002b835d0ef0f2e9e283aae32828ac442380f17cc85a63dab15acab6332b17ba59be1ece71c811317e4f59";

  it("of a node are valid with their own domain tag and not with that of messages", () => {
    const key = parsePublicKey(bytesOf(KEY));
    const proof = parseSignature(bytesOf(PROOF));
    expect(isProofOfPossession(key, proof)).toBe(true);
    expect(isSignedByAll([key], key.compressed, proof)).toBe(false);
    expect(isProofOfPossession(publicKeyOf(localKey(1)), proof)).toBe(false);
  });

  it("that are made here are valid; the signature of a message is not one", () => {
    const secret = localKey(1);
    const key = publicKeyOf(secret);
    expect(isProofOfPossession(key, { bytes: signPossession(secret, key.compressed) })).toBe(true);
    expect(isProofOfPossession(key, sign(secret, key.compressed))).toBe(false);
  });
});
