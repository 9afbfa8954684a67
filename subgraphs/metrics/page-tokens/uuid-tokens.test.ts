import { randomBytes, randomUUID } from "node:crypto";
import { createUuidTokens, isUuid, type NumberForm, type UuidList } from "./uuid-tokens.ts";

const DAY = 86_400;
const clock = { nowSeconds: 1_900_000_000 };
const secret = randomBytes(32);
const create = (own = secret) => createUuidTokens(own, () => clock.nowSeconds);

const FORM: NumberForm = {
  bits: [31, 31],
  numbersOf: ({ head, cursor }) => [BigInt(head), BigInt(cursor)],
  pageOf: ([head, cursor]) => ({ head: String(head), cursor: String(cursor) }),
};
const listOf = (...parameters: unknown[]): UuidList => ({ list: "blocks", parameters, form: FORM });
const page = (cursor: string, head = "7") => ({ cursor, head });
const INVALID = {
  code: "INVALID_PARAMETER",
  message: expect.stringMatching(/^the page token or cursor must be from a page with the same parameters, got "/),
};
const failureOf = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return error;
  }
};

describe("a page token that is a UUID", () => {
  it.each([page("0", "0"), page("5"), page("2147483647", "2147483647")])("contains its page: %j", (issued) => {
    const token = create().issue(listOf("1", 7), issued);
    expect(isUuid(token)).toBe(true);
    expect(create().read(listOf("1", 7), token)).toEqual(issued);
  });

  it("differs in about half of its bits for the next page", () => {
    const tokens = ["5", "6"].map((cursor) => create().issue(listOf(), page(cursor)));
    const [a = 0n, b = 0n] = tokens.map((token) => BigInt(`0x${token.replaceAll("-", "")}`));
    const different = (a ^ b).toString(2).replaceAll("0", "").length;
    expect(different).toBeGreaterThan(30);
    expect(different).toBeLessThan(92);
  });

  it("is refused for another list, for other parameters, and with another secret", () => {
    const token = create().issue(listOf("1", 7), page("5"));
    const others = [listOf("1", "7"), listOf("1"), listOf("1", 7, null), { ...listOf("1", 7), list: "others" }];
    for (const other of others) expect(failureOf(() => create().read(other, token))).toMatchObject(INVALID);
    expect(failureOf(() => create(randomBytes(32)).read(listOf("1", 7), token))).toMatchObject(INVALID);
  });

  it("is refused if it was never issued, or if one digit is changed", () => {
    const token = create().issue(listOf(), page("5"));
    const changed = [0, 7, 20, 35].map((at) => {
      const digit = token[at] === "a" ? "b" : "a";
      return token.slice(0, at) + digit + token.slice(at + 1);
    });
    for (const wrong of [...changed.filter(isUuid), ...Array.from({ length: 50 }, () => randomUUID())])
      expect(failureOf(() => create().read(listOf(), wrong))).toMatchObject(INVALID);
  });

  it("of other parameters is not said to have expired, although all of its bits are used", () => {
    // The same secret and time in every run: by chance, one of some thousand tokens would be taken for an expired one.
    const tokens = createUuidTokens(Buffer.alloc(32, 1), () => 1_800_000_000);
    const full = (parameter: number): UuidList => ({
      ...listOf(parameter),
      form: { ...FORM, bits: [46, 46] },
    });
    const token = tokens.issue(full(0), page("5"));
    for (let other = 1; other <= 100; other++)
      expect(failureOf(() => tokens.read(full(other), token))).toMatchObject(INVALID);
  });

  it("is valid for 24 hours", () => {
    const token = create().issue(listOf(), page("3"));
    clock.nowSeconds += DAY;
    expect(create().read(listOf(), token)).toEqual(page("3"));
    clock.nowSeconds += 1;
    expect(failureOf(() => create().read(listOf(), token))).toMatchObject({
      code: "INVALID_PARAMETER",
      message: "the page token or cursor has expired after 24 hours: start again from the first page",
    });
  });

  it("is not made of numbers that do not fit", () => {
    expect(() => create().issue(listOf(), page("2147483648"))).toThrow("2147483648 has more than 31 bits");
  });
});
