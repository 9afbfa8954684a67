import { sampled } from "../../test/support/full.ts";
import { judge, sumOf } from "../../test/support/oracle/warp-oracle.ts";
import { setOf } from "../../test/support/recorded/warp-sets.ts";
import {
  bytesOf,
  readSignatures,
  type WarpVector,
  warpVector,
  warpVectors,
} from "../../test/support/recorded/warp-vectors.ts";
import { assembleSignedMessage } from "../aggregate/assemble.ts";
import { parsePublicKey } from "../bls/keys.ts";
import { isSignedByAll, parseSignature } from "../bls/signatures.ts";
import { verifyVotes } from "../bls/votes.ts";
import { parseL1Message } from "../codec/l1-message.ts";
import { parseAddressedCall } from "../codec/payload.ts";
import { encodeSignedMessage, parseSignedMessage } from "../codec/signed-message.ts";
import { type CanonicalSet, createCanonicalSet } from "../validator-sets/canonical-set.ts";
import { InvalidValidatorSet } from "../validator-sets/invalid-validator-set.ts";
import { requiredWeight } from "../validator-sets/quorum.ts";
import { type RejectedMessage, type RejectionReason } from "./rejected-message.ts";
import { verifyAnswer, verifySignedMessage } from "./verify-signed-message.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const recordedSet = ({ validatorSet }: WarpVector): CanonicalSet => setOf(validatorSet.raw.getValidatorsAt);

/** Why a message is rejected; null if it is not. */
function reasonOf(bytes: Uint8Array, set: CanonicalSet, quorum = 67): RejectionReason | null {
  try {
    verifySignedMessage(bytes, set, quorum);
    return null;
  } catch (error) {
    return (error as RejectedMessage).reason;
  }
}

describe("recorded signed messages", () => {
  it("verify against the set of their height, all and minimal signers, and only up to their weight", () => {
    for (const vector of warpVectors()) {
      const set = recordedSet(vector);
      for (const { signedMessage, signerWeight, signers } of [vector.all, vector.minimal]) {
        const verified = verifyAnswer(bytesOf(signedMessage), bytesOf(vector.unsignedMessage), set, 67);
        expect(verified.messageId).toBe(vector.messageIDHex);
        expect([verified.signedWeight, verified.totalWeight].map(String)).toEqual([
          signerWeight,
          vector.validatorSet.totalWeight,
        ]);
        expect(verified.signers).toEqual(signers.map((index) => set.validators[index]));
      }
    }
  });

  it("are judged alike by another parser and another BLS library", () => {
    for (const vector of sampled(warpVectors(), 3)) {
      const answer = vector.validatorSet.raw.getValidatorsAt;
      for (const { signedMessage, signerWeight } of [vector.all, vector.minimal]) {
        const judged = judge(bytesOf(signedMessage), answer, 67);
        const ours = verifySignedMessage(bytesOf(signedMessage), recordedSet(vector), 67);
        const signers = ours.signers.flatMap(({ nodeIds }) => nodeIds).sort();
        expect(judged).toEqual({ isValid: true, signers, weight: BigInt(signerWeight), total: ours.totalWeight });
      }
    }
  });

  it("are assembled from the recorded answers, byte by byte, after each answer was verified", async () => {
    for (const { validatorSet, answers, unsignedMessage, all, minimal } of warpVectors()) {
      const { validators } = setOf(validatorSet.raw.getValidatorsAt);
      const message = bytesOf(unsignedMessage);
      const votes = answers.flatMap(({ nodeID, signature, outsideTheSigningSet }) => {
        const index = validators.findIndex(({ nodeIds }) => nodeIds.includes(nodeID));
        const validator = validators[index];
        if (!signature || outsideTheSigningSet || !validator) return [];
        return [{ index, publicKey: validator.publicKey, signature: parseSignature(bytesOf(signature)) }];
      });
      expect(await verifyVotes(message, votes)).toEqual(votes.map(() => true));
      for (const { signers, signedMessage } of [all, minimal]) {
        const chosen = votes.filter(({ index }) => signers.includes(index));
        const signatures = new Map(chosen.map(({ index, signature }) => [index, signature]));
        expect(hex(assembleSignedMessage(message, signatures))).toBe(signedMessage);
      }
    }
  });

  it("are byte by byte those that the C-Chain's node aggregates", () => {
    interface NodeAggregate {
      readonly warp_getMessage: string;
      readonly warp_getMessageSignature: string;
      readonly warp_getMessageAggregateSignature: { readonly quorum100: string };
    }
    const node = readSignatures<NodeAggregate>("c-chain-node-aggregate");
    const { all, unsignedMessage, validatorSet } = warpVector("c-chain-message");
    expect([node.warp_getMessageAggregateSignature.quorum100, node.warp_getMessage]).toEqual([
      `0x${all.signedMessage}`,
      `0x${unsignedMessage}`,
    ]);
    const signature = parseSignature(bytesOf(node.warp_getMessageSignature));
    const signing = validatorSet.canonical.filter(({ publicKey }) =>
      isSignedByAll([parsePublicKey(bytesOf(publicKey))], bytesOf(unsignedMessage), signature),
    );
    expect(signing).toHaveLength(1);
  });

  it("verify at the quorum that their weight just meets, and not at the next", () => {
    for (const vector of warpVectors()) {
      const set = recordedSet(vector);
      const bytes = bytesOf(vector.minimal.signedMessage);
      const weight = BigInt(vector.minimal.signerWeight);
      const highest = Array.from({ length: 100 }, (_, index) => index + 1).findLast(
        (quorum) => requiredWeight(set.totalWeight, quorum) <= weight,
      ) as number;
      expect(reasonOf(bytes, set, highest)).toBeNull();
      if (highest < 100) expect(reasonOf(bytes, set, highest + 1)).toBe("WEIGHT");
    }
  });
});

interface Delivery {
  readonly signedMessage: string;
  readonly result: { readonly valid: boolean };
}

describe("signed messages that the chains refused", () => {
  const l1Set = () => recordedSet(warpVector("l1-message"));

  it.each([
    ["l1-message on the C-Chain, below the quorum", "WEIGHT"],
    ["l1-message on the C-Chain, signature of fewer than the bits say", "SIGNATURE"],
  ] as const)("are rejected: %s", (name, reason) => {
    const { deliveries } = readSignatures<{ deliveries: Readonly<Record<string, Delivery>> }>("deliveries-evm");
    const delivery = deliveries[name] as Delivery;
    expect(delivery.result.valid).toBe(false);
    expect(reasonOf(bytesOf(delivery.signedMessage), l1Set())).toBe(reason);
  });

  it.each([
    ["one signer fewer than the quorum", "WEIGHT"],
    ["bits of other signers than those who signed", "SIGNATURE"],
  ] as const)("are rejected with the P-Chain's reason: %s", (name, reason) => {
    interface Refused {
      readonly signedMessage: string;
      readonly answer: string;
    }
    const { deliveries } = readSignatures<{ deliveries: Readonly<Record<string, Refused>> }>("refusals");
    const { signedMessage, answer } = deliveries[name] as Refused;
    const set = recordedSet(warpVector("c-chain-message"));
    const { signers } = parseSignedMessage(bytesOf(signedMessage));
    expect([reasonOf(bytesOf(signedMessage), set), signers.length]).toEqual([reason, 1]);
    const insufficient = /signature weight is insufficient: .*\d/.exec(answer)?.[0];
    if (insufficient) expect(() => verifySignedMessage(bytesOf(signedMessage), set, 67)).toThrow(insufficient);
    expect(insufficient !== undefined).toBe(reason === "WEIGHT");
  });

  it("are rejected if validators of another subnet or of another height signed", () => {
    const primary = warpVector("c-chain-to-l1-primary");
    const byL1 = warpVector("c-chain-to-l1-by-l1");
    expect(primary.unsignedMessage).toBe(byL1.unsignedMessage);
    expect(reasonOf(bytesOf(primary.all.signedMessage), recordedSet(byL1))).not.toBeNull();
    expect(reasonOf(bytesOf(byL1.all.signedMessage), recordedSet(primary))).not.toBeNull();
    const before = warpVector("l1-message");
    const after = warpVector("l1-message-with-disabled-validator");
    expect(reasonOf(bytesOf(before.all.signedMessage), recordedSet(after))).toBe("SIGNATURE");
    expect(reasonOf(bytesOf(after.all.signedMessage), recordedSet(before))).toBe("SIGNATURE");
  });
});

describe("the signed messages of avalanchego, vms/platformvm/txs/fee/calculator_test.go", () => {
  const KEYS = [
    "a3783a891cb41cadbfcf456da149f30e7af972677a162b984bef0779f254baac51ec042df1781d1295df80fb41c80126",
    "b62034315c5d11cea4190f6ea8997821c02483d29adb5e4567843f7a44c39b2ffa20c8520dc358702fb1ec29f2746dcc",
  ] as const;
  const HEADER = "000000003039705f3d4415f990225d3df5ce437d7af2aa324b1bbce854ee34ab6f39882250d2";
  const SUBNET = "a0673b4ee5ec44e57c8ab250dd7cd7b68d04421f64bd6559a4284a3ee358ff2b";
  const REGISTER =
    `${HEADER}0000009c000000000001000000000000008e000000000001${SUBNET}000000145efc86a11c5b12cc95b2cf527c023f9cf6e0e8f6` +
    `${KEYS[1]}000000006705af28000000000000000000000000000000000000000000000001` +
    "0000000000000001018e99dc6ed736089c03b9a1275e0cf801524ed341fb10111f29c0390fa2f96cf6aa78539ec767e5cd523c606c7ede50e60b" +
    "a6065a3685e770d979b0df74e3541b61ed63f037463776098576e385767a695de59352b44e515831c5ee7a8cc728f9";
  const VALIDATION = "38e6e9fe31c6d070a8c792dbacf6d0aefb8eac2aded49cc0aa9f422d1fdd9ecd";
  const WEIGHT =
    `${HEADER}000000440000000000010000000000000036000000000003${VALIDATION}00000000000000010000000000000005` +
    "00000000000000010187f4bb2c42869c56f023a1ca81045aff034acd490b8f15b5069025f982e605e077007fc588f7d56369a65df7574df3b70f" +
    "f028ea173739c789525ab7eebfcb5c115b13cca8f02b362104b700c75bc95234109f3f1360ddcb4ec3caf6b0e821cb";
  const set = (...weights: bigint[]) =>
    createCanonicalSet(
      weights.map((weight, index) => ({ nodeId: `${index}`, weight, publicKey: bytesOf(KEYS[index] as string) })),
    );

  it("verify against the conversion's validator, then against both validators, whose first is the conversion's", () => {
    const register = verifySignedMessage(bytesOf(REGISTER), set(49_463n), 67);
    expect([REGISTER.length / 2, register.messageId]).toEqual([
      303,
      "56bb90ae3574dbca86d4d58d094f829262b2da51945a1fb363b6cf19d7c89054",
    ]);
    const both = set(49_463n, 1n);
    const weight = verifySignedMessage(bytesOf(WEIGHT), both, 67);
    expect([WEIGHT.length / 2, weight.messageId, weight.signers.flatMap(({ nodeIds }) => nodeIds)]).toEqual([
      215,
      "2f8dcb9234fabd6ae8762d018a030102c9ef82689f43ff33ebbfac88bada6b01",
      ["0"],
    ]);
    expect(both.validators.map(({ publicKey }) => hex(publicKey.uncompressed).slice(0, 4))).toEqual(["0378", "1620"]);
    expect(reasonOf(bytesOf(WEIGHT), both, 100)).toBe("WEIGHT");
  });

  it("contain a registration whose hash is the validation id of the weight", () => {
    const [register, weight] = [REGISTER, WEIGHT].map((bytes) => {
      const { payload } = parseSignedMessage(bytesOf(bytes)).message;
      return parseAddressedCall(payload);
    });
    expect(register?.sourceAddress).toHaveLength(0);
    const inner = parseL1Message(weight?.payload as Uint8Array);
    expect(inner).toMatchObject({ type: "L1ValidatorWeight", nonce: 1n, weight: 5n, validationId: VALIDATION });
    expect(parseL1Message(register?.payload as Uint8Array)).toMatchObject({ subnetId: SUBNET, blsPublicKey: KEYS[1] });
  });

  it("do not verify if a bit of the payload is changed", () => {
    const changed = bytesOf(WEIGHT);
    changed[100] = (changed[100] as number) ^ 1;
    expect(reasonOf(changed, set(49_463n, 1n))).toBe("SIGNATURE");
  });
});

describe("a signed message", () => {
  const vector = () => warpVector("l1-message-with-disabled-validator");
  const parts = () => parseSignedMessage(bytesOf(vector().all.signedMessage));
  const withSigners = (signers: string) => encodeSignedMessage({ ...parts(), signers: bytesOf(signers) });
  const withSignature = (signature: Uint8Array) => encodeSignedMessage({ ...parts(), signature });

  it.each([
    ["no signers", "", "SIGNERS"],
    ["a leading zero byte in its bit set", "0007", "SIGNERS"],
    ["a zero bit set", "00", "SIGNERS"],
    ["the bit of a validator without a key", "17", "SIGNERS"],
    ["signers below the quorum", "01", "WEIGHT"],
    ["more signers than those who signed", "0f", "SIGNATURE"],
    ["other signers than those who signed", "0b", "SIGNATURE"],
  ] as const)("with %s is rejected, as by the oracle", (_, signers, reason) => {
    const bytes = withSigners(signers);
    expect(reasonOf(bytes, recordedSet(vector()))).toBe(reason);
    const judged = judge(Buffer.from(bytes), vector().validatorSet.raw.getValidatorsAt, 67);
    expect(judged).toEqual({ isValid: false, reason: reason.toLowerCase() });
  });

  it.each([
    ["zeros", Buffer.alloc(96)],
    ["infinity", Buffer.concat([Buffer.of(0xc0), Buffer.alloc(95)])],
    ["a point outside the group", Buffer.concat([Buffer.of(0x80), Buffer.alloc(94), Buffer.of(1)])],
  ])("with the signature %s is rejected", (_, signature) => {
    expect(reasonOf(withSignature(signature), recordedSet(vector()))).toBe("SIGNATURE");
  });

  it("with the signature of one signer counted twice is rejected", () => {
    const [first = "", second = ""] = vector().answers.flatMap(({ signature }) => signature ?? []);
    const doubled = sumOf([bytesOf(first), bytesOf(first), bytesOf(second)]);
    expect(reasonOf(withSignature(doubled), recordedSet(vector()))).toBe("SIGNATURE");
  });

  it("with validators whose keyless weight hides the quorum is rejected, though all who can sign have signed", () => {
    const { validators, totalWeight } = recordedSet(vector());
    expect(reasonOf(withSigners("07"), { validators, totalWeight: totalWeight + 35n })).toBe("WEIGHT");
    expect(reasonOf(withSigners("07"), { validators, totalWeight: 149n })).toBeNull();
  });

  it("that is cut, longer, or without validators is rejected", () => {
    const bytes = bytesOf(vector().all.signedMessage);
    expect(reasonOf(bytes.subarray(1), recordedSet(vector()))).toBe("MALFORMED");
    expect(reasonOf(bytes.subarray(0, -1), recordedSet(vector()))).toBe("MALFORMED");
    expect(reasonOf(Buffer.concat([bytes, Buffer.of(0)]), recordedSet(vector()))).toBe("MALFORMED");
    expect(reasonOf(bytes, { validators: [], totalWeight: 0n })).toBe("SIGNERS");
  });

  it("other than the requested one is rejected", () => {
    const other = warpVector("l1-message");
    const set = recordedSet(other);
    const signed = bytesOf(other.all.signedMessage);
    expect(reasonOf(signed, set)).toBeNull();
    expect(() => verifyAnswer(signed, bytesOf(vector().unsignedMessage), set, 67)).toThrow(
      /^the signed message is [0-9a-f]{64}, not the requested [0-9a-f]{64}$/,
    );
    expect(() => verifyAnswer(signed.subarray(2), bytesOf(other.unsignedMessage), set, 67)).toThrow(
      "signed warp message, payload at byte 42",
    );
  });

  it("is not verified at a quorum of 0 or above 100", () => {
    for (const quorum of [0, 101, 1.5])
      expect(() => verifySignedMessage(bytesOf(vector().all.signedMessage), recordedSet(vector()), quorum)).toThrow(
        InvalidValidatorSet,
      );
  });
});
