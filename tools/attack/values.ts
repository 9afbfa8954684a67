import type { Random } from "./random.ts";

const TEXTS: readonly string[] = [
  "",
  " ",
  "0",
  "-0",
  "-1",
  "1",
  "1.5",
  "1e3",
  "1e400",
  "00",
  "+1",
  "0x",
  "0x0",
  "0xzz",
  "NaN",
  "Infinity",
  "null",
  "undefined",
  "true",
  "false",
  "[]",
  "{}",
  "2147483647",
  "2147483648",
  "-2147483649",
  "9007199254740991",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "18446744073709551616",
  "340282366920938463463374607431768211456",
  "1".repeat(400),
  "9".repeat(3_000),
  "a".repeat(3_000),
  `0x${"f".repeat(40)}`,
  `0x${"F".repeat(39)}`,
  `0x${"0".repeat(64)}`,
  `0X${"a".repeat(40)}`,
  "NodeID-",
  `NodeID-${"1".repeat(33)}`,
  "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg",
  "11111111111111111111111111111111LpoYY",
  "2ZKbwERx36B5WrYesQGAeTV4NTo4dx6j8svkjwAEix89ZPencR",
  "P-avax1tnuesf6cqwnjw7fxjyk7lhch0vhf0v95wj5jvy",
  "fuji1wycv8n7d2fg9aq6unp23pnj4q0arv03ysya8jw",
  "avax1",
  "p-chain",
  "x-chain",
  "c-chain",
  "mainnet",
  "fuji",
  "testnet",
  "asc",
  "desc",
  "usd",
  "active",
  "2023-05-01",
  "2023-13-45",
  "1970-01-01T00:00:00Z",
  "00000000-0000-0000-0000-000000000000",
  "' OR 1=1 --",
  "'; DROP TABLE x; --",
  '"><script>alert(1)</script>',
  "../../../../etc/passwd",
  "..\\..\\",
  "%00",
  "%2e%2e%2f",
  "\u0000",
  "\u0001\u001b[31m\r\n",
  "a\r\nset-cookie: a=b",
  "\u202e\u200b\ufeff",
  "é".repeat(50),
  "e\u0301",
  "💥",
  "\ud800",
  "ﬀ",
  "İ",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "$where",
  "$" + "{7*7}",
  "{{7*7}}",
  "eyJrIjoiMTAwMCJ9",
  "eyJ",
  "AAAA",
  ",",
  ",,,",
  "a,b,c",
];

/** Chains and other ids that exist, so that some requests reach the data. */
export type KnownValues = readonly string[];

/** A text that breaks rules, lies at their boundary, or exists. */
export function hostileText(random: Random, known: KnownValues): string {
  if (known.length > 0 && random.chance(0.25)) return random.pick(known);
  const text = random.pick(TEXTS);
  if (random.chance(0.05)) return text.repeat(1 + random.integer(20)).slice(0, 10_000);
  if (random.chance(0.05)) return mutated(text, random);
  return text;
}

/** The text with one character removed, replaced or inserted. */
export function mutated(text: string, random: Random): string {
  const at = random.integer(text.length + 1);
  const end = random.chance(0.5) ? at + 1 : at;
  const inserted = random.chance(0.7) ? String.fromCharCode(random.integer(random.chance(0.5) ? 128 : 65_536)) : "";
  return text.slice(0, at) + inserted + text.slice(end);
}

const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.5,
  100,
  101,
  10_001,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 63,
  2 ** 64,
  1e21,
  1e308,
  -1e308,
  5e-324,
];

/** A JSON value of any type. */
export function hostileValue(random: Random, known: KnownValues, depth = 0): unknown {
  switch (random.integer(depth > 3 ? 5 : 9)) {
    case 0:
      return random.pick(NUMBERS);
    case 1:
      return random.pick([true, false, null]);
    case 2:
    case 3:
    case 4:
      return hostileText(random, known);
    case 5:
      return Array.from({ length: random.integer(4) }, () => hostileValue(random, known, depth + 1));
    case 6:
      return Object.fromEntries(
        Array.from({ length: random.integer(4) }, () => [
          hostileText(random, known),
          hostileValue(random, known, depth + 1),
        ]),
      );
    case 7:
      return nested(random.pick([10, 100, 2_000]));
    default:
      return Array.from({ length: random.pick([0, 1, 50, 1_000]) }, () => random.pick(TEXTS).slice(0, 50));
  }
}

/** Lists within lists. */
function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

/** JSON that is broken in some requests: cut off, mutated, with duplicate members, or nested very deeply. */
export function jsonBytes(value: unknown, random: Random): Buffer {
  const text = JSON.stringify(value) ?? "null";
  if (random.chance(0.8)) return Buffer.from(text);
  switch (random.integer(8)) {
    case 0:
      return Buffer.from(text.slice(0, random.integer(text.length)));
    case 1:
      return Buffer.from(mutated(text, random));
    case 2:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
    case 3:
      return Buffer.from(text, "utf16le");
    case 4:
      return Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0xc0, 0x80])]);
    case 5:
      return Buffer.from("[".repeat(random.pick([100, 10_000, 200_000])));
    case 6:
      return Buffer.from(`${text}${text}`);
    default:
      return Buffer.from(random.pick(["", "null", "[]", "{}", '""', "0", "{", '{"a":1,"a":2}', "NaN", "\u0000"]));
  }
}

/** The text without lone surrogates, which cannot be percent-encoded. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, "\ufffd");
}
