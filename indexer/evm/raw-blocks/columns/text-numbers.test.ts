import { KNOWN_TEXTS } from "./dictionary.ts";
import { TextNumbers } from "./text-numbers.ts";

const FIRST = KNOWN_TEXTS.length;

describe("numbers of texts", () => {
  it("are those of the known texts, then consecutive, and the same for the same text", () => {
    const numbers = new TextNumbers();
    expect(KNOWN_TEXTS.map((text) => numbers.numberOf(text))).toEqual(KNOWN_TEXTS.map((_, number) => number));
    const texts = Array.from({ length: 3_000 }, (_, i) => `text number ${i}`);
    for (let round = 0; round < 2; round++)
      expect(texts.map((text) => numbers.numberOf(text))).toEqual(texts.map((_, i) => FIRST + i));
    expect(numbers.size).toBe(FIRST + texts.length);
  });

  it("begin again after `clear`", () => {
    const numbers = new TextNumbers();
    for (let i = 0; i < 3_000; i++) numbers.numberOf(`text number ${i}`);
    numbers.clear();
    expect(numbers.numberOf("text number 7")).toBe(FIRST);
    expect(numbers.numberOf(KNOWN_TEXTS[3] as string)).toBe(3);
  });

  it("are new ones for texts that are not found among many with the same hash", () => {
    // The hash does not include the characters in the middle.
    const texts = Array.from(
      { length: 100 },
      (_, i) => `0x${"a".repeat(16)}${String(i).padStart(8, "0")}${"b".repeat(40)}`,
    );
    const numbers = new TextNumbers();
    const seen = new Set<number>();
    for (const text of [...texts, ...texts]) seen.add(numbers.numberOf(text));
    expect(numbers.numberOf(texts[0] as string)).toBe(FIRST);
    expect(numbers.size).toBe(FIRST + 2 * texts.length - 16);
    expect(seen.size).toBe(numbers.size - FIRST);
  });

  it("are the same for the same name that a word of 32 bytes has at its start", () => {
    const hexOf = (text: string) => Buffer.from(text).toString("hex");
    const names = Array.from({ length: 1_000 }, (_, i) => `0x${hexOf(`Token ${i}`).padEnd(64, "0")}`);
    const numbers = new TextNumbers();
    for (let round = 0; round < 2; round++)
      expect(names.map((name) => numbers.numberOf(name))).toEqual(names.map((_, i) => FIRST + i));
  });
});
