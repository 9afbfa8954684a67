import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { quantity } from "./values.ts";

describe("a quantity of a node", () => {
  it.each([
    ["0x0", 0],
    ["0x1", 1],
    [`0x${"1".padStart(64, "0")}`, 1],
    ["0Xff", 255],
    ["0xFf", 255],
    ["0xffffffffffff", 2 ** 48 - 1],
    ["0x1fffffffffffff", Number.MAX_SAFE_INTEGER],
    ["0x20000000000000", 2n ** 53n],
    [`0x${"f".repeat(64)}`, 2n ** 256n - 1n],
  ])("is a number if a number holds it exactly, and else a bigint: %s", (text, expected) => {
    expect(quantity(text, "a value")).toBe(expected);
  });

  it.each([1, "", "0", "0x", "1", "0xg", "0x-1", "0x1 ", " 0x1", `0x${"0".repeat(65)}`, `0x${"g".repeat(20)}`])(
    "is refused unless it is hex with up to 64 digits: %j",
    (value) => {
      expect(() => quantity(value, "a value")).toThrow(BadUpstreamData);
      expect(() => quantity(value, () => "a value")).toThrow(/^a value is .*, not a hex quantity$/);
    },
  );

  it.each([undefined, null])("is missing if it is %s", (value) => {
    expect(() => quantity(value, () => "a value")).toThrow("a value is missing");
  });

  it("is refused if it has too many bits", () => {
    expect(quantity("0xff", "a value", 8)).toBe(255);
    expect(() => quantity("0x100", "a value", 8)).toThrow('a value is "0x100", more than 8 bits');
    expect(() => quantity(`0x1${"0".repeat(16)}`, "a value", 64)).toThrow("more than 64 bits");
  });
});
