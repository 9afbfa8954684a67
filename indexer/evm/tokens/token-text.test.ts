import { decodeDecimals, decodeText } from "./token-text.ts";

const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, "0");
const hexOf = (text: string): string => Buffer.from(text).toString("hex");
const padded = (hex: string): string => hex.padEnd(Math.ceil(hex.length / 64) * 64, "0");
/** An ABI string of these bytes. */
const abi = (hex: string): string => `0x${word(32)}${word(hex.length / 2)}${padded(hex)}`;
const abiText = (text: string): string => abi(hexOf(text));

describe("the text of a token", () => {
  it.each([
    ["an ABI string", abiText("Glacier Coin"), "Glacier Coin"],
    ["an ABI string of more than a word", abiText("a".repeat(100)), "a".repeat(100)],
    ["a string at an unusual offset", `0x${word(64)}${word(0)}${word(2)}${padded(hexOf("OK"))}`, "OK"],
    ["bytes32", `0x${padded(hexOf("MKR"))}`, "MKR"],
    ["bytes32 without a zero byte", `0x${hexOf("x".repeat(32))}`, "x".repeat(32)],
    ["bytes32 that is cut inside a character", `0x${padded(`${hexOf("ab")}e28900`)}`, "ab\ufffd"],
    ["an empty string", abiText(""), ""],
    ["no answer", "0x", ""],
    ["a word of zeros", `0x${word(0)}`, ""],
    ["less than a word", "0x1234", ""],
    ["an odd number of digits", "0x123", ""],
    ["an offset behind the end", `0x${word(4_096)}${word(5)}`, ""],
    ["an offset of 2^256-1", `0x${word(2n ** 256n - 1n)}${word(5)}`, ""],
    ["a length behind the end", `0x${word(32)}${word(1_000)}${padded(hexOf("short"))}`, "short"],
    ["a length of 2^256-1", `0x${word(32)}${word(2n ** 256n - 1n)}${padded(hexOf("x"))}`, ""],
    ["an offset that points at itself", `0x${word(0)}${word(0)}`, ""],
    ["what is no UTF-8", abi("41ff42c3"), "A\ufffdB\ufffd"],
    ["an encoded surrogate", abi("eda080"), "\ufffd\ufffd\ufffd"],
    ["zero bytes and control characters", abiText("\u0000T\u0007o\u001bk\u007fe\u009fn"), "Token"],
    ["line breaks and tabs", abiText("a\nb\r\nc\td\u2028e\u2029f"), "abcdef"],
    ["marks and overrides of direction", abiText("\u202eNIOC\u202c\u200e\u200f\u061c\u2066\u2069"), "NIOC"],
    ["invisible characters", abiText("U\u200bS\u2060D\ufeffC"), "USDC"],
    ["joiners, which scripts need", abiText("می\u200cخواهم"), "می\u200cخواهم"],
    ["spaces around", abiText("  Token  "), "Token"],
    ["nothing but spaces", abiText("   "), ""],
    ["300 characters", abiText("x".repeat(300)), "x".repeat(256)],
    ["300 characters outside the first plane", abiText("🏔".repeat(300)), "🏔".repeat(256)],
    ["a megabyte", abiText("y".repeat(1 << 20)), "y".repeat(256)],
  ])("%s", (_what, result, expected) => {
    expect(decodeText({ result })).toBe(expected);
  });

  it("is empty for an error", () => {
    expect(decodeText({ error: "execution reverted: My Token" })).toBe("");
  });

  it("is valid Unicode that PostgreSQL accepts, for any bytes", () => {
    for (let byte = 0; byte < 256; byte++) {
      const text = decodeText({ result: abi(byte.toString(16).padStart(2, "0").repeat(33)) });
      expect(text).toBe(Buffer.from(text).toString());
      expect(text).not.toMatch(/\p{Cc}/u);
    }
  });
});

describe("the decimals of a token", () => {
  it.each([
    ["18", `0x${word(18)}`, 18],
    ["0", `0x${word(0)}`, 0],
    ["36", `0x${word(36)}`, 36],
    ["255", `0x${word(255)}`, 255],
    ["256", `0x${word(256)}`, 0],
    ["300", `0x${word(300)}`, 0],
    ["2^256-1", `0x${word(2n ** 256n - 1n)}`, 0],
    ["no answer", "0x", 0],
    ["a single byte", "0x12", 0],
    ["two words", `0x${word(18)}${word(7)}`, 18],
    ["a word and a part of another", `0x${word(6)}00`, 6],
    ["more than a word whose first is 2^256-1", `0x${word(2n ** 256n - 1n)}${word(18)}`, 0],
    ["a string, whose first word is its offset", abiText("18"), 32],
    ["a word without its last digit", `0x${word(18).slice(1)}`, 0],
  ])("%s", (_what, result, expected) => {
    expect(decodeDecimals({ result })).toBe(expected);
  });

  it("are 0 for an error", () => {
    expect(decodeDecimals({ error: "out of gas" })).toBe(0);
  });
});
