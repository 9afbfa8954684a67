import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { formatCheckedHex } from "../../../test/support/codec/encode-utxo.ts";
import { parseCheckedHex, parseHex } from "./checked-hex.ts";

describe("hex text of a node", () => {
  it.each([undefined, null, 7, "", "00", "0X00", "0x0", "0x0g", "0x00 ", "0x00\n", "0x\u0130\u0130"])(
    "is refused if it is %j",
    (text) => {
      expect(() => parseHex(text, "block")).toThrow(new BadUpstreamData(`block is ${JSON.stringify(text)}, not hex`));
    },
  );

  it("may be empty, and in upper or lower case", () => {
    expect(parseHex("0x", "block")).toEqual(Buffer.alloc(0));
    expect(parseHex("0xAbcD", "block")).toEqual(Buffer.from([0xab, 0xcd]));
  });
});

describe("hex text with a checksum", () => {
  /** The last bytes of SHA-256 of no bytes. */
  const EMPTY = "0x7852b855";

  it("ends with the last bytes of the SHA-256 of the data", () => {
    expect(parseCheckedHex(EMPTY, "block")).toEqual(Buffer.alloc(0));
    expect(formatCheckedHex(Buffer.alloc(0))).toBe(EMPTY);
    expect(parseCheckedHex(formatCheckedHex(Buffer.from("a block")), "block")).toEqual(Buffer.from("a block"));
  });

  it("is refused if any bit is flipped", () => {
    const bytes = Buffer.from(formatCheckedHex(Buffer.from("a block")).slice(2), "hex");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const turned = Buffer.from(bytes);
      turned[bit >> 3] = (turned[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => parseCheckedHex(`0x${turned.toString("hex")}`, "block")).toThrow("block has a wrong checksum");
    }
  });

  it("is refused if it is shorter than a checksum", () => {
    expect(() => parseCheckedHex("0x52b855", "block")).toThrow('block is "0x52b855", too short for a checksum');
  });
});
