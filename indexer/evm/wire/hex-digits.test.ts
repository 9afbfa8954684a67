import { hexFormOf } from "./hex-digits.ts";

describe("the form of a text as hex", () => {
  it.each(["0x", "0x0", "0x0123456789abcdef", `0x${"f".repeat(1000)}`])("is lower case for %s", (text) => {
    expect(hexFormOf(text)).toBe("lower case");
  });

  it.each(["0X", "0X0a", "0xA", "0x0123456789abcdefABCDEF"])("is mixed case for %s", (text) => {
    expect(hexFormOf(text)).toBe("mixed case");
  });

  it("is hex for no other character than a hex digit", () => {
    const characters = Array.from({ length: 1 << 16 }, (_, code) => String.fromCharCode(code));
    const accepted = characters.filter((character) => hexFormOf(`0x1${character}2`) !== "not hex");
    expect(accepted.join("")).toBe("0123456789ABCDEFabcdef");
  });

  it.each(["", "0", "x", "1x12", "12", "0y12", " 0x12", "0x12\n", "0x1g", "0x١"])("is not hex for %j", (text) => {
    expect(hexFormOf(text)).toBe("not hex");
  });
});
