import { entityTag } from "./headers.ts";

describe("an entity tag", () => {
  it("is the published XXH64 of the bytes", () => {
    // https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md, and `xxhsum -H1` of the reference implementation.
    expect(entityTag("")).toBe('W/"ef46db3751d8e999"');
    expect(entityTag("abc")).toBe('W/"44bc2cf5ad770999"');
  });

  it.each([
    ["an empty text", ""],
    ["a short text", '{"a":1}'],
    ["a text of the longest UTF-8 that is not copied to new memory", "€".repeat(1_365)],
    ["a longer text", "€".repeat(1_366)],
    ["characters of four bytes", "𝄞".repeat(900)],
    ["half of a character", "\ud834"],
  ])("is the same for a text and its bytes: %s", (_, text) => {
    expect(entityTag(text)).toBe(entityTag(Buffer.from(text)));
  });

  it("does not depend on the text before", () => {
    entityTag("a longer text");
    const tag = entityTag("text");
    entityTag("other");
    expect(entityTag("text")).toBe(tag);
    expect(entityTag("text ")).not.toBe(tag);
  });
});
