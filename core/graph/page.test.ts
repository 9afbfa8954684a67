import { createPageTokens, failureIfBehind } from "./page.ts";

const secret = Buffer.alloc(32, 7);

const START = { position: ["12", "3"], heads: ["7", "-1"] };

describe("page tokens", () => {
  let now = 1_000_000;
  const tokens = createPageTokens(secret, () => now);
  const token = tokens.sign("blocks", ["1"], START);

  it("contain the position and the heads that they were signed for", () => {
    expect(tokens.read("blocks", ["1"], token)).toEqual(START);
    expect(createPageTokens(secret, () => now).read("blocks", ["1"], token)).toEqual(START);
  });

  it("select the first page if absent or empty", () => {
    expect([
      tokens.read("blocks", [], null),
      tokens.read("blocks", [], ""),
      tokens.read("blocks", [], undefined),
    ]).toEqual([null, null, null]);
  });

  it.each([
    ["another list", "transfers", ["1"], token],
    ["other parameters", "blocks", ["2"], token],
    ["a changed position", "blocks", ["1"], `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`],
    ["another secret", "blocks", ["1"], createPageTokens(Buffer.alloc(32, 8), () => now).sign("blocks", ["1"], START)],
    ["a text that is no token", "blocks", ["1"], "x"],
    ["a UUID", "blocks", ["1"], "bb29d07a-2bcf-4cb4-a795-5fc6d25655d9"],
  ])("are rejected with %s", (_, list, parameters, value) => {
    expect(() => tokens.read(list, parameters, value)).toThrow(
      "the page token or cursor must be from a page with the same parameters",
    );
  });

  it("are valid for 24 hours", () => {
    now += 86_400;
    expect(tokens.read("blocks", ["1"], token)).toEqual(START);
    now += 1;
    expect(() => tokens.read("blocks", ["1"], token)).toThrow("has expired");
  });

  it("may have no heads", () => {
    const start = { position: ["12"], heads: [] };
    expect(tokens.read("jobs", [], tokens.sign("jobs", [], start))).toEqual(start);
  });
});

describe("a database that is compared with the heads of a page token", () => {
  it.each([
    [["7"], ["7"], true],
    [["7"], ["8"], true],
    [["7"], ["6"], false],
    [["9"], ["10"], true],
    [["-1"], ["-1"], true],
    [["0"], ["-1"], false],
    [["7", "7"], ["7", "6"], false],
    [["7"], [], false],
    [[], [], true],
  ])("%j: %j is not behind: %s", (seen, known, isUpToDate) => {
    const failure = isUpToDate ? null : expect.objectContaining({ code: "UNAVAILABLE" });
    expect(failureIfBehind(seen, known)).toEqual(failure);
  });
});
