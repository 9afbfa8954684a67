import { encodeAbiParameters, type Hex, parseAbiParameters } from "viem";
import { decodeExactly, parseDeclarations } from "./abi-codec.ts";
import { type AbiParameter, InvalidAbi, parseAbi, selectorOf, signatureOf } from "./abi-entry.ts";

const inputsOf = (declared: string): readonly AbiParameter[] =>
  parseDeclarations([`function f(${declared})`])[0]?.inputs ?? [];
const word = (value: number): string => value.toString(16).padStart(64, "0");

describe("ABI-encoded data", () => {
  it.each<[types: string, values: readonly unknown[], expected: unknown]>([
    ["uint256, int8, bool", [2n ** 256n - 1n, -3, true], [(2n ** 256n - 1n).toString(), "-3", true]],
    ["string, bytes, bytes3", ["\0é\ufeff", "0x01", "0x010203"], ["\0é\ufeff", "0x01", "0x010203"]],
    [
      "uint8[2][]",
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
      [
        [
          ["1", "2"],
          ["3", "4"],
        ],
      ],
    ],
    ["(uint8 a, (string, address) a)", [{ a: 1 }], null],
  ])("of %s is decoded to text", (types, values, expected) => {
    if (expected === null) return expect(decodeExactly(inputsOf(types), "0x")).toBeNull();
    const data = encodeAbiParameters(parseAbiParameters(types), values);
    expect(decodeExactly(inputsOf(types), data)).toEqual(expected);
  });

  const address = encodeAbiParameters([{ type: "address" }], [`0x${"12".repeat(20)}`]);
  it.each<[what: string, types: string, data: string]>([
    ["with other bytes in the upper part of an address", "address", address.replace("0x00", "0x01")],
    ["with more bytes after it", "address", `${address}00`],
    ["with fewer bytes", "address", address.slice(0, -2)],
    ["that is empty", "address", "0x"],
    ["with a boolean of 2", "bool", `0x${word(2)}`],
    ["with a number beyond its type", "uint8", `0x${word(256)}`],
    ["with a list whose length is beyond the data", "uint256[]", `0x${word(32)}${word(2 ** 40)}`],
    ["with an offset into itself", "uint256[][]", `0x${word(32)}${word(1)}${word(0)}`],
    ["with text that is not UTF-8", "string", `0x${word(32)}${word(1)}ff${"00".repeat(31)}`],
    ["with another order of its parts", "bytes, bytes", `0x${word(128)}${word(64)}${word(0)}${word(0)}${word(0)}`],
  ])("%s is not decoded", (_, types, data) => {
    expect(decodeExactly(inputsOf(types), data)).toBeNull();
  });

  it("that refers to the same list a thousand times is not decoded", () => {
    const outer = Array.from({ length: 500 }, () => word(500 * 32)).join("");
    const inner = Array.from({ length: 500 }, (_, at) => word(at)).join("");
    const data = `0x${word(32)}${word(500)}${outer}${word(500)}${inner}`;
    expect(decodeExactly(inputsOf("uint256[][]"), data)).toBeNull();
  });

  it("is decoded up to 32,768 bytes", () => {
    const dataOf = (count: number): Hex =>
      encodeAbiParameters([{ type: "uint256[]" }], [Array.from({ length: count }, (_, at) => BigInt(at))]);
    expect(decodeExactly(inputsOf("uint256[]"), dataOf(1_022))).toEqual([
      Array.from({ length: 1_022 }, (_, at) => String(at)),
    ]);
    expect(decodeExactly(inputsOf("uint256[]"), dataOf(1_023))).toBeNull();
  });
});

describe("an ABI", () => {
  it("is read without constructors, fallbacks and anonymous events", () => {
    const entries = parseAbi([
      { type: "constructor", inputs: [] },
      { type: "receive" },
      { type: "event", name: "Hidden", inputs: [], anonymous: true },
      {
        type: "function",
        name: "send",
        inputs: [{ name: "", type: "tuple[2][]", components: [{ name: "to", type: "address" }] }],
        outputs: [],
      },
    ]);
    expect(entries.map(signatureOf)).toEqual(["send((address)[2][])"]);
  });

  it("has the selectors of Solidity", () => {
    const [transfer, logged] = parseDeclarations([
      "function transfer(address to, uint256 value)",
      "event Transfer(address indexed from, address indexed to, uint256 value)",
    ]);
    expect(transfer && selectorOf(transfer)).toBe("0xa9059cbb");
    expect(logged && selectorOf(logged)).toBe("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
  });

  let nested: unknown = { name: "x", type: "uint8" };
  for (let depth = 0; depth < 10; depth++) nested = { name: "x", type: "tuple", components: [nested] };
  const withInput = (input: unknown) => [{ type: "function", name: "f", inputs: [input] }];
  it.each<[what: string, json: unknown, reason: string]>([
    ["is no list", {}, "must be a JSON list"],
    ["has too many entries", Array(5_001).fill({}), "at most 5000 entries"],
    ["has an unknown type", withInput({ type: "uint" }), "must have full ABI types"],
    ["has a list of no elements", withInput({ type: "uint8[0][]" }), "must have full ABI types"],
    ["has an empty tuple", withInput({ type: "tuple[]", components: [] }), "must have full ABI types"],
    ["has tuples ten deep", withInput(nested), "entry 0 of the ABI"],
    ["has a name that is no text", [{ type: "event", name: 1 }], "entry 0 of the ABI: name"],
  ])("that %s is refused", (_, json, reason) => {
    expect(() => parseAbi(json)).toThrow(InvalidAbi);
    expect(() => parseAbi(json)).toThrow(reason);
  });
});
