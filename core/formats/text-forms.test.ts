import { base58, bech32 } from "@scure/base";
import { createRandomIntegers } from "../../test/support/random.ts";
import { formatAddress, parseAddress } from "./bech32.ts";
import { decodeBase58, encodeBase58 } from "./cb58.ts";

const random = createRandomIntegers(58);
const randomBytes = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (random() % 4 === 0 && at < 6 ? 0 : random() % 256)));

describe("Base58", () => {
  it("has the text of a library, in both directions, for bytes of any length", () => {
    for (let round = 0; round < 2_000; round++) {
      const bytes = randomBytes(round % 45);
      const text = base58.encode(bytes);
      expect(encodeBase58(bytes.toString("hex"))).toBe(text);
      expect(decodeBase58(text)).toBe(bytes.toString("hex"));
    }
    for (const byte of [0, 255])
      for (const length of [0, 1, 20, 36]) {
        const bytes = Buffer.alloc(length, byte);
        expect(encodeBase58(bytes.toString("hex"))).toBe(base58.encode(bytes));
        expect(decodeBase58(base58.encode(bytes))).toBe(bytes.toString("hex"));
      }
  });

  it.each(["0", "O", "I", "l", "a b", "é", "\u{1f600}", "+"])("refuses %j", (text) => {
    expect([decodeBase58(text), decodeBase58(`1${text}2`)]).toEqual([null, null]);
  });
});

describe("Bech32 addresses", () => {
  const prefixes = ["avax", "fuji", "custom", "a", "a1", "local-1", "x".repeat(51)];
  const written = (prefix: string, bytes: Uint8Array): string => bech32.encode(prefix, bech32.toWords(bytes), false);

  it("have the text of a library, in both directions, with any prefix", () => {
    for (const prefix of prefixes)
      for (let round = 0; round < 200; round++) {
        const bytes = randomBytes(20);
        const address = bytes.toString("hex");
        expect(formatAddress({ chain: null, prefix, address })).toBe(written(prefix, bytes));
        expect(parseAddress(`P-${written(prefix, bytes)}`)).toEqual({ chain: "P", prefix, address });
      }
  });

  it("are refused, as the library refuses them, with one wrong character, in mixed case or with another length", () => {
    for (let round = 0; round < 500; round++) {
      const text = written("fuji", randomBytes(20));
      const at = random() % text.length;
      const other = "qpzry9x8gf2tvdw0s3jn54khce6mua7l1bio"[random() % 36];
      const changed = text.slice(0, at) + other + text.slice(at + 1);
      const { words } = bech32.decodeUnsafe(changed) ?? {};
      expect([changed, parseAddress(changed) !== null]).toEqual([changed, words !== undefined]);
    }
    const text = written("fuji", randomBytes(20));
    expect(parseAddress(text.toUpperCase())).toEqual({ ...parseAddress(text), chain: null });
    expect(parseAddress(text.slice(0, 9) + text.slice(9).toUpperCase())).toBeNull();
    for (const length of [0, 19, 21, 32]) expect(parseAddress(written("fuji", randomBytes(length)))).toBeNull();
  });
});
