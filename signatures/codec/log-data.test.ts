import { acceptedBeginnings } from "../../test/support/beginnings.ts";
import { bytesOf, warpVectors } from "../../test/support/recorded/warp-vectors.ts";
import { encodeLogData } from "../../test/support/signatures/log-data.ts";
import { messageBytesOf, parseLogData } from "./log-data.ts";
import { MalformedMessage } from "./malformed-message.ts";
import { parseSignedMessage } from "./signed-message.ts";
import { messageIdOf, parseUnsignedMessage } from "./unsigned-message.ts";

const word = (value: string): string => value.padStart(64, "0");
const ADDRESS = word("7ec2afb0a06a73666adc24983ebdbf2b6f1d7082");
/**
 * The examples of E1 in the published OpenAPI document of the Data API: a Teleporter message on Fuji and its signed form. The
 * keys of its two signers are not published.
 */
const PUBLISHED =
  "0000000000059f3be606497285d0ffbb5ac9ba24aa60346a9b1812479ed66cb329f394a4b1c7000003a2" +
  "00000000000100000014253b2784c75e510dd0ff1da844684a1ac0aa5fcf00000380" +
  ["20", "115", "8578ae7723751446b196bd5124e1bf57b40eb7bc"].map(word).join("") +
  "7fc93d85c6d62c5b2ac0b519c87010ea5294012d1e407030d6acd0021cac10d5" +
  ["9660ed66aef60dfba5467afe865f612edbfb5c71", "14c08", "100", "120", "280", "0", "5"].map(word).join("") +
  ["11a0", "11a2", "11b5", "11e8", "11e9"].map((nonce) => word(nonce) + ADDRESS).join("") +
  ["c0", "20", "1", "40", "40", "1c07f66981b45056e5024eb6d51f9f30aa0d28fd", "38d7ea4c68000"].map(word).join("");
const PUBLISHED_SIGNATURE =
  "807355b21dd497ecc9f560dfbdefc64aeec72b226c70d3793273db01d1a0c0bfd74d095d6a9e0b4db2dc652245fd28a" +
  "c032c0f1f6b7f761b912ad58c93cde2e337bef4a4e8175af69f226520cd1baedd2dd7db79bb5752cb50a465531e46e8af";

describe("the data of a SendWarpMessage log", () => {
  it("contains the recorded message, whose id is the log's last topic", () => {
    const logs = warpVectors().flatMap(({ transaction, unsignedMessage, messageIDHex }) =>
      transaction?.logData ? [{ data: bytesOf(transaction.logData), unsignedMessage, messageIDHex }] : [],
    );
    expect(logs.length).toBeGreaterThan(5);
    for (const { data, unsignedMessage, messageIDHex } of logs) {
      const message = messageBytesOf(data);
      expect(Buffer.from(message).toString("hex")).toBe(unsignedMessage);
      expect(messageIdOf(message)).toBe(messageIDHex);
      expect(encodeLogData(message)).toEqual(data);
      expect(messageBytesOf(message)).toBe(message);
    }
  });

  it("of the published example of E1 contains the bytes with which the signed example begins", () => {
    const data = bytesOf(word("20") + word("3cc") + PUBLISHED + "00".repeat(20));
    expect(data).toHaveLength(1056);
    const message = messageBytesOf(data);
    expect(message).toEqual(bytesOf(PUBLISHED));
    expect(parseUnsignedMessage(message).networkId).toBe(5);
    const signed = parseSignedMessage(bytesOf(`${PUBLISHED}000000000000000103${PUBLISHED_SIGNATURE}`));
    expect(signed.unsignedBytes).toEqual(message);
    expect([signed.signers, signed.signature]).toEqual([bytesOf("03"), bytesOf(PUBLISHED_SIGNATURE)]);
  });

  it("may hold a message of any length", () => {
    for (const length of [0, 1, 31, 32, 33, 64]) {
      const message = Buffer.alloc(length, 7);
      const data = encodeLogData(message);
      expect(data.length % 32).toBe(0);
      expect(Buffer.from(parseLogData(data))).toEqual(message);
    }
  });

  it.each([
    ["an offset that is not 32", word("40") + word("1") + "01".padEnd(64, "0"), "begin with the offset 32"],
    ["no length", word("20"), "must be a word of 32 bytes, got 0"],
    ["a cut length", word("20") + "00".repeat(31), "must be a word of 32 bytes, got 31"],
    ["a huge length", word("20") + "ff".repeat(32), "the length in log data is too large"],
    [
      "too few bytes",
      word("20") + word("21") + "01".repeat(32),
      "must have 64 bytes after its length, which is 33, got 32",
    ],
    [
      "too many bytes",
      word("20") + word("1") + "01".padEnd(128, "0"),
      "must have 32 bytes after its length, which is 1",
    ],
    ["padding that is not zero", `${word("20")}${word("1")}${"01".padEnd(63, "0")}1`, "must be padded with zeros"],
  ])("is refused with %s", (_, data, problem) => {
    expect(() => parseLogData(bytesOf(data))).toThrow(MalformedMessage);
    expect(() => parseLogData(bytesOf(data))).toThrow(problem);
  });

  it("is refused if any bytes at the end are missing", () => {
    const data = encodeLogData(bytesOf(PUBLISHED));
    const parse = (bytes: Uint8Array) => parseUnsignedMessage(messageBytesOf(bytes));
    expect(acceptedBeginnings(data, parse, MalformedMessage)).toEqual([]);
  });
});
