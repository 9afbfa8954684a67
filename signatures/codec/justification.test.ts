import { acceptedBeginnings } from "../../test/support/beginnings.ts";
import { bytesOf, readSignatures, warpVectors } from "../../test/support/recorded/warp-vectors.ts";
import { encodeJustification, parseJustification, validationIdOf } from "./justification.ts";
import { parseL1Message } from "./l1-message.ts";
import { MalformedMessage } from "./malformed-message.ts";
import { parseAddressedCall } from "./payload.ts";
import { parseUnsignedMessage } from "./unsigned-message.ts";

const SUBNET = "6ea50b0cc898b6988dcffe958d4fbe60f35ca28acf1ff090d9c4934de71b1de3";
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

interface Refusals {
  readonly refusals: readonly {
    readonly name: string;
    readonly justification: string;
    readonly answer: { readonly errorCode?: number };
  }[];
}

const recorded = (): string[] => [...new Set(warpVectors().map(({ justification }) => justification))].filter(Boolean);

describe("a justification", () => {
  it("of each recorded message is parsed, and written as the node accepted it or without a zero index", () => {
    const all = recorded();
    expect(all.length).toBeGreaterThan(4);
    for (const one of all) {
      const withoutZeroIndex = one.replace(/^0a24(.*)1000$/, "0a22$1");
      expect(hex(encodeJustification(parseJustification(bytesOf(one))))).toBe(withoutZeroIndex);
    }
  });

  it("of a message that a validator is not registered has the validation id of this message", () => {
    const removals = warpVectors().flatMap(({ unsignedMessage, justification }) => {
      if (justification === "" || justification.length === 64) return [];
      const { payload } = parseAddressedCall(parseUnsignedMessage(bytesOf(unsignedMessage)).payload);
      const message = parseL1Message(payload);
      return message.type === "L1ValidatorRegistration" && !message.registered ? [{ message, justification }] : [];
    });
    expect(removals.length).toBeGreaterThanOrEqual(4);
    for (const { message, justification } of removals) {
      const origin = parseJustification(bytesOf(justification));
      expect(origin.type !== "subnet" && validationIdOf(origin)).toBe(message.validationId);
    }
  });

  it("with 32 bytes is a subnet id", () => {
    const justification = { type: "subnet", subnetId: SUBNET } as const;
    expect(parseJustification(bytesOf(SUBNET))).toEqual(justification);
    expect(hex(encodeJustification(justification))).toBe(SUBNET);
  });

  it.each([
    [0, `0a220a20${SUBNET}`],
    [1, `0a240a20${SUBNET}1001`],
    [300, `0a250a20${SUBNET}10ac02`],
    [2 ** 32 - 1, `0a280a20${SUBNET}10ffffffff0f`],
  ])("of the validator %d of a conversion is written as Go writes it", (index, bytes) => {
    const justification = { type: "conversion", subnetId: SUBNET, index } as const;
    expect(hex(encodeJustification(justification))).toBe(bytes);
    expect(parseJustification(bytesOf(bytes))).toEqual(justification);
  });

  it("may have a zero index, fields in another order, and unknown fields", () => {
    const origin = { type: "conversion", subnetId: SUBNET, index: 0 };
    expect(parseJustification(bytesOf(`0a240a20${SUBNET}1000`))).toEqual(origin);
    expect(parseJustification(bytesOf(`0a2410050a20${SUBNET}`))).toEqual({ ...origin, index: 5 });
    expect(parseJustification(bytesOf(`1a0101200f2d000000000a220a20${SUBNET}`))).toEqual(origin);
  });

  it.each([
    ["", "names no validator of a conversion and no registration"],
    ["ffffff", "justification at byte 3 is not protobuf"],
    ["0801", "names no validator of a conversion and no registration"],
    [`0a210a1f${SUBNET.slice(2)}`, "must have 32 bytes, got 31"],
    [`0a00`, "must have 32 bytes, got 0"],
    [`0a220a20${SUBNET}0a220a20${SUBNET}`, "more than one origin"],
    ["1200", "L1 message at byte 0: 2 bytes expected, 0 left"],
    [`1226000000000000${SUBNET}`, "is SubnetToL1Conversion, not RegisterL1Validator"],
    [`0a230a20${SUBNET}ff`, "conversion in a justification at byte 35 is not protobuf"],
  ])("is refused if it is %s", (bytes, problem) => {
    expect(() => parseJustification(bytesOf(bytes))).toThrow(MalformedMessage);
    expect(() => parseJustification(bytesOf(bytes))).toThrow(problem);
  });

  it("is refused if any bytes at the end are missing", () => {
    const all = recorded().filter((one) => one.length !== 64);
    for (const bytes of all.map(bytesOf)) {
      const accepted = acceptedBeginnings(bytes, parseJustification, MalformedMessage);
      // 32 bytes are always a subnet id.
      expect(accepted).toEqual([32]);
    }
  });

  it("is refused if its groups are nested too deeply", () => {
    expect(() => parseJustification(Buffer.alloc(60_000, 0x1b))).toThrow(MalformedMessage);
  });

  it("is refused where the node refuses its form, with codes 5, 8, 9 and 13", () => {
    const { refusals } = readSignatures<Refusals>("refusals");
    const refused = refusals.filter(
      ({ name, answer }) => /\(false\)/.test(name) && [5, 8, 9, 13].includes(answer.errorCode ?? 0),
    );
    expect(refused.map(({ answer }) => answer.errorCode).sort()).toEqual([13, 5, 8, 9]);
    for (const { justification } of refused)
      expect(() => parseJustification(bytesOf(justification))).toThrow(MalformedMessage);
  });
});
