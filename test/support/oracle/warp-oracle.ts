import { bls12_381 } from "@noble/curves/bls12-381.js";
import type { ValidatorsAnswer } from "../recorded/warp-vectors.ts";

const bls = bls12_381.longSignatures;
const { G1, G2 } = bls12_381;
const MESSAGE_TAG = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

/** What a signed message proves, or why it proves nothing. */
export type Judgement =
  | { readonly isValid: true; readonly signers: string[]; readonly weight: bigint; readonly total: bigint }
  | { readonly isValid: false; readonly reason: "form" | "signers" | "weight" | "signature" };

/** Judges a signed message with another parser, another canonical set and another BLS library than the code. */
export function judge(signed: Buffer, answer: ValidatorsAnswer, quorum: number): Judgement {
  const parts = partsOf(signed);
  if (!parts) return { isValid: false, reason: "form" };
  const keys = orderedKeys(answer);
  const total = Object.values(answer).reduce((sum, { weight }) => sum + BigInt(weight), 0n);
  const bits = BigInt(`0x0${parts.signers.toString("hex")}`);
  const isMinimal = parts.signers[0] !== 0;
  if (!isMinimal || bits === 0n || bits >> BigInt(keys.length) > 0n) return { isValid: false, reason: "signers" };
  const signing = keys.filter((_, index) => ((bits >> BigInt(index)) & 1n) === 1n);
  const weight = signing.reduce((sum, key) => sum + key.weight, 0n);
  if (weight * 100n < total * BigInt(quorum)) return { isValid: false, reason: "weight" };
  const key = signing.reduce((sum, { point }) => sum.add(point), G1.Point.ZERO);
  if (!isSigned(parts.signature, parts.unsigned, key)) return { isValid: false, reason: "signature" };
  return { isValid: true, signers: signing.flatMap(({ nodes }) => nodes).sort(), weight, total };
}

function partsOf(signed: Buffer) {
  const end = 42 + (signed.length >= 42 ? signed.readUInt32BE(38) : 0);
  if (signed.length < end + 8) return null;
  const signersLength = signed.readUInt32BE(end + 4);
  const hasForm = signed.readUInt16BE(0) === 0 && signed.readUInt32BE(end) === 0;
  if (!hasForm || signed.length !== end + 8 + signersLength + 96) return null;
  return {
    unsigned: signed.subarray(0, end),
    signers: signed.subarray(end + 8, end + 8 + signersLength),
    signature: signed.subarray(-96),
  };
}

function orderedKeys(answer: ValidatorsAnswer) {
  return [...grouped(answer)]
    .flatMap(([key, members]) => (key === null ? [] : [{ point: G1.Point.fromHex(key.slice(2)), members }]))
    .map(({ point, members }) => ({
      point,
      order: point.toHex(false),
      weight: members.reduce((sum, [, { weight }]) => sum + BigInt(weight), 0n),
      nodes: members.map(([node]) => node),
    }))
    .sort((one, other) => (one.order < other.order ? -1 : 1));
}

function grouped(answer: ValidatorsAnswer) {
  const groups = new Map<string | null, [string, ValidatorsAnswer[string]][]>();
  for (const entry of Object.entries(answer)) {
    const { publicKey } = entry[1];
    groups.set(publicKey, [...(groups.get(publicKey) ?? []), entry]);
  }
  return groups;
}

/** True if the point's secret has signed the message with the tag of messages. */
export function isSigned(signature: Uint8Array, message: Uint8Array, key: InstanceType<typeof G1.Point>): boolean {
  try {
    return bls.verify(G2.Point.fromBytes(signature), bls.hash(message, MESSAGE_TAG), key);
  } catch {
    return false;
  }
}

/** The sum of signatures, some of them subtracted. */
export function sumOf(added: readonly Uint8Array[], subtracted: readonly Uint8Array[] = []): Uint8Array {
  const plus = added.reduce((sum, one) => sum.add(G2.Point.fromBytes(one)), G2.Point.ZERO);
  return subtracted.reduce((sum, one) => sum.subtract(G2.Point.fromBytes(one)), plus).toBytes();
}
