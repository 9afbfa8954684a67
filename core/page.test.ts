import { createPageTokens, pageOf } from "./page.ts";

const secret = Buffer.alloc(32, 7);

describe("page tokens", () => {
  let now = 1_000_000;
  const tokens = createPageTokens(secret, () => now);
  const token = tokens.sign("blocks", ["1"], ["12", "3"]);

  it("contain the position that they were signed for", () => {
    expect(tokens.read("blocks", ["1"], token)).toEqual(["12", "3"]);
    expect(createPageTokens(secret, () => now).read("blocks", ["1"], token)).toEqual(["12", "3"]);
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
    ["another secret", "blocks", ["1"], createPageTokens(Buffer.alloc(32, 8), () => now).sign("blocks", ["1"], ["12"])],
    ["a text that is no token", "blocks", ["1"], "x"],
    ["a UUID", "blocks", ["1"], "bb29d07a-2bcf-4cb4-a795-5fc6d25655d9"],
  ])("are rejected with %s", (_, list, parameters, value) => {
    expect(() => tokens.read(list, parameters, value)).toThrow(
      "pageToken must be the nextPageToken of a page with the same parameters",
    );
  });

  it("are valid for 24 hours", () => {
    now += 86_400;
    expect(tokens.read("blocks", ["1"], token)).toEqual(["12", "3"]);
    now += 1;
    expect(() => tokens.read("blocks", ["1"], token)).toThrow("has expired");
  });

  it("are returned only if more rows follow", () => {
    expect(pageOf([1, 2], 2, String)).toEqual({ items: [1, 2], nextPageToken: null });
    expect(pageOf([1, 2, 3], 2, String)).toEqual({ items: [1, 2], nextPageToken: "2" });
  });
});
