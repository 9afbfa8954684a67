import { firstValue, JsonSyntaxError, onlyValue } from "./scanner.ts";

const scanned = (text: string | Buffer): string => {
  const bytes = Buffer.from(text);
  const { start, end } = firstValue(bytes);
  return bytes.subarray(start, end).toString();
};

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** True if the text is one JSON value with nothing but white space around it. */
const isOneValue = (text: string): boolean => {
  try {
    return text.trimStart().slice(scanned(text).length).trim() === "";
  } catch {
    return false;
  }
};

describe("the first JSON value of a body", () => {
  it.each([
    [' {"a" : [1, -2.5e+3, {"b":null}, [], {}]} {', '{"a" : [1, -2.5e+3, {"b":null}, [], {}]}'],
    ["nullgarbage", "null"],
    ["01", "0"],
    ["42", "42"],
    ["-0.10E-2x", "-0.10E-2"],
    ['"\\u00e9\\n\\/"\u0000', '"\\u00e9\\n\\/"'],
    [`${"[".repeat(10_000)}${"]".repeat(10_000)}`, `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
  ])("of %s is %s", (text, value) => {
    expect(scanned(text)).toBe(value);
  });

  it("is the only one unless other bytes follow", () => {
    expect(onlyValue(Buffer.from(" [1] \r\n\t"))).toEqual({ start: 1, end: 4 });
    for (const text of ["{} {}", "1,", "null\u0000", "[]]"])
      expect(() => onlyValue(Buffer.from(text))).toThrow(/after top-level value$/);
  });

  // Messages of Go's decoder. The recordings in test/conformance contain some of them too.
  it.each([
    ["", "EOF"],
    [" \r\n\t", "EOF"],
    ["{", "unexpected EOF"],
    ["nul", "unexpected EOF"],
    ["-", "unexpected EOF"],
    ["1.", "unexpected EOF"],
    ['"\\u00', "unexpected EOF"],
    ["hello", "invalid character 'h' looking for beginning of value"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ["[01]", "invalid character '1' after array element"],
    ["nulx", "invalid character 'x' in literal null (expecting 'l')"],
    ["tRue", "invalid character 'R' in literal true (expecting 'r')"],
    ["-x", "invalid character 'x' in numeric literal"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1e+x", "invalid character 'x' in exponent of numeric literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"a\u0001"', "invalid character '\\x01' in string literal"],
    ['"a\n"', "invalid character '\\n' in string literal"],
    ["\\", "invalid character '\\\\' looking for beginning of value"],
    ["\u007f", "invalid character '\\x7f' looking for beginning of value"],
    ["[".repeat(10_001), "invalid character '[' exceeded max depth"],
  ])("of %j is refused: %s", (text, message) => {
    expect(() => scanned(text)).toThrow(new JsonSyntaxError(message));
  });

  it("is valid exactly if JSON.parse accepts it, for 20,000 randomly damaged texts", () => {
    const whole = '{"a":[1,-0.5e+10,{"b":null,"c":"x\\u00e9\\n"},true,false,[],{}], "d" : "" }';
    const bytes = ' \t\n"\\,:{}[]-+.eE019tfnux\u0001';
    let state = 1;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const kinds = { whole: 0, broken: 0 };
    for (let i = 0; i < 20_000; i++) {
      let text = whole;
      for (let damage = 0; damage <= i % 3; damage++) {
        const at = random(text.length);
        text = text.slice(0, at) + (bytes[random(bytes.length + 1)] ?? "") + text.slice(at + random(3));
      }
      const isWhole = parses(text);
      kinds[isWhole ? "whole" : "broken"]++;
      expect({ text, isWhole: isOneValue(text) }).toEqual({ text, isWhole });
    }
    expect(Math.min(kinds.whole, kinds.broken)).toBeGreaterThan(1_000);
  });

  it("is refused with the character of the first byte, for bytes outside ASCII", () => {
    expect(() => scanned("\ufeff{}")).toThrow("invalid character '\u00ef' looking for beginning of value");
    expect(() => scanned(Buffer.from([0x85]))).toThrow("invalid character '\\u0085' looking for beginning of value");
  });
});
