import { conversionValidationId } from "../../core/formats/codec/bytes/hashes.ts";
import { parseIdText } from "../../core/formats/id-text.ts";
import { acceptedBeginnings } from "../../test/support/beginnings.ts";
import { bytesOf, warpVector, warpVectors } from "../../test/support/recorded/warp-vectors.ts";
import { conversionData, conversionIdOf, encodeConversionData } from "./conversion.ts";
import { parse } from "./format.ts";
import { encodeL1Message, parseL1Message } from "./l1-message.ts";
import { MalformedMessage } from "./malformed-message.ts";
import { encodePayload, MAX_PAYLOAD_BYTES, parseAddressedCall, parsePayload } from "./payload.ts";
import { encodeSignedMessage, parseSignedMessage } from "./signed-message.ts";
import { encodeUnsignedMessage, messageIdOf, parseUnsignedMessage } from "./unsigned-message.ts";

/** Hex of `length` bytes that count up from `first`, as the vectors of avalanchego use them. */
const run = (first: number, length: number): string =>
  Buffer.from(Array.from({ length }, (_, index) => first + index)).toString("hex");
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const parseConversionData = (bytes: Uint8Array) => parse(conversionData, bytes, "conversion data");
const A_CALL = { type: "AddressedCall", sourceAddress: bytesOf("77777777"), payload: bytesOf("111111") } as const;

const MISSING =
  /^[\w ]+(, [\w.]+)? at byte \d+: (\d+ bytes expected, \d+ left|\d+ elements of at least \d+ bytes expected, \d+ bytes left)$/;

interface Example {
  readonly name: string;
  readonly bytes: string;
  readonly value: unknown;
  parse(bytes: Uint8Array): unknown;
  encode(value: never): Uint8Array;
}

const L1 = { parse: parseL1Message, encode: encodeL1Message };

/**
 * The values of the L1 messages and of the conversion data are those of avalanchego, vms/platformvm/warp/message/payload_test.go
 * and subnet_to_l1_conversion_test.go; those of the addressed call and the message of ava-labs/builders-hub, convertWarp.test.ts.
 */
const EXAMPLES: readonly Example[] = [
  {
    ...L1,
    name: "SubnetToL1Conversion",
    bytes: `000000000000${run(1, 32)}`,
    value: { type: "SubnetToL1Conversion", conversionId: run(1, 32) },
  },
  {
    ...L1,
    name: "RegisterL1Validator",
    bytes:
      `000000000001${run(1, 32)}00000014${run(0x21, 20)}${run(0x35, 48)}${run(0x65, 8)}` +
      `${run(0x6d, 4)}00000001${run(0x71, 20)}${run(0x85, 4)}00000001${run(0x89, 20)}${run(0x9d, 8)}`,
    value: {
      type: "RegisterL1Validator",
      subnetId: run(1, 32),
      nodeId: run(0x21, 20),
      blsPublicKey: run(0x35, 48),
      expiry: 0x65666768696a6b6cn,
      remainingBalanceOwner: { threshold: 0x6d6e6f70, addresses: [run(0x71, 20)] },
      disableOwner: { threshold: 0x85868788, addresses: [run(0x89, 20)] },
      weight: 0x9d9e9fa0a1a2a3a4n,
    },
  },
  {
    ...L1,
    name: "L1ValidatorRegistration",
    bytes: `000000000002${run(1, 32)}00`,
    value: { type: "L1ValidatorRegistration", validationId: run(1, 32), registered: false },
  },
  {
    ...L1,
    name: "L1ValidatorWeight",
    bytes: `000000000003${run(1, 32)}${run(0x21, 8)}${run(0x29, 8)}`,
    value: {
      type: "L1ValidatorWeight",
      validationId: run(1, 32),
      nonce: 0x2122232425262728n,
      weight: 0x292a2b2c2d2e2f30n,
    },
  },
  {
    name: "conversion data",
    bytes:
      `0000${run(1, 32)}${run(0x21, 32)}0000000141` + `0000000100000014${run(0x42, 20)}${run(0x56, 48)}${run(0x86, 8)}`,
    value: {
      subnetId: run(1, 32),
      managerChainId: run(0x21, 32),
      managerAddress: bytesOf("41"),
      validators: [{ nodeId: run(0x42, 20), blsPublicKey: run(0x56, 48), weight: 0x868788898a8b8c8dn }],
    },
    parse: parseConversionData,
    encode: encodeConversionData,
  },
  {
    name: "block hash",
    bytes: `000000000000${run(1, 32)}`,
    value: { type: "BlockHash", hash: run(1, 32) },
    parse: parsePayload,
    encode: encodePayload,
  },
  {
    name: "addressed call",
    bytes: "000000000001000000047777777700000003111111",
    value: A_CALL,
    parse: parsePayload,
    encode: encodePayload,
  },
  {
    name: "message",
    bytes: "00000000303932858f45b192eeb190e643f6915d45f832def5d2021b77b151867ec29843af180000000411223344",
    value: {
      networkId: 12345,
      sourceChainId: parseIdText("PFWYqXhRtrKGRvnSwCpxMXKa9d1pHmY8ASzu8mRCCBCb25p17"),
      payload: bytesOf("11223344"),
    },
    parse: parseUnsignedMessage,
    encode: encodeUnsignedMessage,
  },
  {
    name: "signed message",
    bytes: `0000ffffffff${run(1, 32)}0000000111` + `00000000000000020100${run(0, 96)}`,
    value: {
      message: { networkId: 2 ** 32 - 1, sourceChainId: run(1, 32), payload: bytesOf("11") },
      unsignedBytes: bytesOf(`0000ffffffff${run(1, 32)}0000000111`),
      signers: bytesOf("0100"),
      signature: bytesOf(run(0, 96)),
    },
    parse: parseSignedMessage,
    encode: encodeSignedMessage,
  },
];

describe.each(EXAMPLES)("bytes of a $name", ({ bytes, value, parse, encode }) => {
  const all = bytesOf(bytes);

  it("are parsed and written as published", () => {
    expect(parse(all)).toEqual(value);
    expect(hex(encode(value as never))).toBe(bytes);
  });

  it("are refused with the offset if any bytes at the end are missing", () => {
    expect(acceptedBeginnings(all, parse, MalformedMessage, MISSING)).toEqual([]);
  });

  it("are refused if a byte is left over", () => {
    expect(() => parse(Buffer.concat([all, Buffer.of(0)]))).toThrow(
      new RegExp(`at byte ${all.length}: 1 bytes left over$`),
    );
  });

  it("are refused if the codec version is not 0", () => {
    for (const version of [1, 256, 65_535]) {
      const changed = Buffer.from(all);
      changed.writeUInt16BE(version);
      expect(() => parse(changed)).toThrow(new RegExp(`at byte 0: codec version ${version}, not 0$`));
    }
  });

  it("are refused with an error of the codec, or are the canonical form, if one byte is changed", () => {
    for (const at of all.keys()) {
      const changed = Buffer.from(all);
      changed[at] = (changed[at] as number) ^ 0xff;
      let written: string;
      try {
        written = hex(encode(parse(changed) as never));
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedMessage);
        continue;
      }
      expect(written).toBe(hex(changed));
    }
  });
});

describe("warp messages", () => {
  it.each([
    ["L1 message", parseL1Message, "000000000004", "type id 4, not 0 or 1 or 2 or 3"],
    ["payload", parsePayload, "000000000002", "type id 2, not 0 or 1"],
    ["registration", parseL1Message, `000000000002${run(1, 32)}02`, "registered at byte 38: 2 is not a boolean"],
    [
      "short node id",
      parseL1Message,
      `000000000001${run(1, 32)}00000013${"00".repeat(110)}`,
      "must have 20 bytes, got 19",
    ],
    [
      "signature type",
      parseSignedMessage,
      `000000000001${run(1, 32)}0000000000000001${"00".repeat(100)}`,
      "type id 1, not 0",
    ],
    [
      "list of owners that cannot fit",
      parseL1Message,
      `000000000001${run(1, 32)}00000014${"00".repeat(76)}00000001ffffffff${"00".repeat(30)}`,
      "4294967295 elements of at least 20 bytes expected",
    ],
  ] as const)("are refused with an unknown or wrong member: %s", (_, parse, bytes, problem) => {
    expect(() => parse(bytesOf(bytes))).toThrow(problem);
  });

  it("have payloads of at most 24 KiB", () => {
    const payload = new Uint8Array(MAX_PAYLOAD_BYTES - 14);
    const largest = encodePayload({ type: "AddressedCall", sourceAddress: new Uint8Array(), payload });
    expect(parseAddressedCall(largest).payload).toEqual(Buffer.from(payload));
    expect(() => parsePayload(Buffer.concat([largest, Buffer.of(0)]))).toThrow("24577 bytes, more than 24576");
    expect(() => encodePayload({ ...A_CALL, payload: new Uint8Array(MAX_PAYLOAD_BYTES) })).toThrow(RangeError);
  });

  it("are not written with members that do not fit", () => {
    const weight = { type: "L1ValidatorWeight", validationId: run(1, 32), nonce: 0n, weight: 2n ** 64n } as const;
    expect(() => encodeL1Message(weight)).toThrow(RangeError);
    expect(() => encodeL1Message({ ...weight, weight: -1n })).toThrow(RangeError);
    for (const validationId of [run(1, 31), run(1, 33), "A".repeat(64), "zz".repeat(32)])
      expect(() => encodeL1Message({ ...weight, weight: 1n, validationId })).toThrow(RangeError);
    expect(() =>
      encodeUnsignedMessage({ networkId: 2 ** 32, sourceChainId: run(1, 32), payload: Buffer.alloc(0) }),
    ).toThrow(RangeError);
  });

  it("have the sizes that the contracts write", () => {
    const owner = (count: number) => ({ threshold: 1, addresses: Array<string>(count).fill(run(1, 20)) });
    const register = (count: number) =>
      encodeL1Message({
        ...(EXAMPLES[1]?.value as object),
        remainingBalanceOwner: owner(count),
        disableOwner: owner(0),
      } as never);
    expect([register(0).length, register(1).length, register(3).length]).toEqual([142, 162, 202]);
    expect(EXAMPLES.slice(0, 4).map(({ bytes }) => bytes.length / 2)).toEqual([38, 182, 39, 54]);
  });

  it("of the recordings are written as they were signed, under their id", () => {
    const all = warpVectors();
    expect(all).toHaveLength(26);
    for (const { unsignedMessage, messageIDHex, networkID, sourceChainID, all: signed } of all) {
      const message = parseUnsignedMessage(bytesOf(unsignedMessage));
      expect([message.networkId, message.sourceChainId]).toEqual([networkID, parseIdText(sourceChainID)]);
      expect(hex(encodeUnsignedMessage(message))).toBe(unsignedMessage);
      expect(messageIdOf(bytesOf(unsignedMessage))).toBe(messageIDHex);
      expect(hex(encodePayload(parsePayload(message.payload)))).toBe(hex(message.payload));
      const parsed = parseSignedMessage(bytesOf(signed.signedMessage));
      expect([hex(parsed.unsignedBytes), hex(parsed.signers)]).toEqual([unsignedMessage, signed.signerBits]);
      expect(hex(encodeSignedMessage(parsed))).toBe(signed.signedMessage);
    }
  });

  it("of the recordings contain L1 messages that are written as they were signed", () => {
    const types = warpVectors().flatMap(({ name, unsignedMessage }) => {
      const payload = parsePayload(parseUnsignedMessage(bytesOf(unsignedMessage)).payload);
      if (payload.type !== "AddressedCall" || !/^p-|-p-|register|weight/.test(name)) return [];
      const message = parseL1Message(payload.payload);
      expect(hex(encodeL1Message(message))).toBe(hex(payload.payload));
      return [message.type];
    });
    expect([types.length, new Set(types).size]).toEqual([18, 4]);
  });

  it("are refused if they end early, at any byte of a recorded signed message", () => {
    const signed = bytesOf(warpVector("c-chain-register-l1-validator").all.signedMessage);
    expect(acceptedBeginnings(signed, parseSignedMessage, MalformedMessage, MISSING)).toEqual([]);
  });
});

describe("the id of a conversion", () => {
  it("is that of builders-hub, convertWarp.test.ts, whose validators are not sorted", () => {
    const data = parseConversionData(
      bytesOf(
        "000032858f45b192eeb190e643f6915d45f832def5d2021b77b151867ec29843af18359f4649f7d828a1ea590ae669509ac86fa9fc0cd7cd83f0" +
          "48323a73a1d315ad00000014c0dd1cdd60bd82a4c48fa06ddbd927da5443c58a00000002000000149e99c96338c2ae4131ba1d4fb1a9dd146e06" +
          "d16ca2ea5071b185225223ceb743fe265b47905fff03c64d6517733b9f79bde4937bfab0a7b903e697e2b4b5b90a7aa744270000000000000064" +
          "000000143495ce47a5968640acd0cbf613c050fd0a5b30cea09e63e32ce3b24205455bc470b54d6260bc826821857458b67adcab63ea842b3924" +
          "07b9dff0564ce520f6337ac2b5ca0000000000000064",
      ),
    );
    expect(data.validators.map(({ weight }) => weight)).toEqual([100n, 100n]);
    expect(conversionIdOf(data)).toBe("ae4984e3c1f0b73c2e160b899295e4a2d44b2229f23bdb7b8eccbbbcb0ba7d93");
  });
});

describe("the conversion in avalanchego, vms/platformvm/txs/fee/calculator_test.go", () => {
  it("has 154 bytes and an id that follows from its members", () => {
    const data = {
      subnetId: "a0673b4ee5ec44e57c8ab250dd7cd7b68d04421f64bd6559a4284a3ee358ff2b",
      managerChainId: "705f3d4415f990225d3df5ce437d7af2aa324b1bbce854ee34ab6f39882250d2",
      managerAddress: new Uint8Array(),
      validators: [
        {
          nodeId: "c582872c37c81efa2c94ea347af49cdc23a830aa",
          blsPublicKey:
            "a3783a891cb41cadbfcf456da149f30e7af972677a162b984bef0779f254baac51ec042df1781d1295df80fb41c80126",
          weight: 49_463n,
        },
      ],
    };
    expect(encodeConversionData(data)).toHaveLength(154);
    expect(conversionIdOf(data)).toBe("f4db5ea47d9ca87ff30a5a8eac7ed0bfaf1258018e32b75b50c0691028625bab");
  });
});

describe("a validation id", () => {
  it("of a conversion is that of the recorded registration", () => {
    const { unsignedMessage } = warpVector("p-registration-of-conversion-validator");
    const { payload } = parseAddressedCall(parseUnsignedMessage(bytesOf(unsignedMessage)).payload);
    const subnetId = warpVector("p-conversion").justification;
    const known = [0, 1, 2].map((index) => conversionValidationId(subnetId, index));
    const message = parseL1Message(payload);
    expect(message.type === "L1ValidatorRegistration" && known.includes(message.validationId)).toBe(true);
  });
});
