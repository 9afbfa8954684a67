import { configurationPage } from "./configuration-page.ts";

/** Cells of the tables of settings. */
const rows = configurationPage()
  .split("\n")
  .filter((line) => /^\| `[a-z]/.test(line) && line.split(" | ").length > 3)
  .map((line) => line.slice(2, -2).split(" | "));

describe("the page of settings", () => {
  it("says of every setting its rule, its default and its meaning", () => {
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.filter((cells) => cells.length !== 4 || cells.some((cell) => cell.trim() === ""))).toEqual([]);
  });

  it("has a table wherever it says that one follows", () => {
    const below = rows
      .filter(([, , standard]) => standard === "see below")
      .map(([name = ""]) => name.replaceAll("`", ""));
    expect(below.length).toBeGreaterThan(3);
    expect(below.filter((name) => !configurationPage().includes(`\n## ${name}\n`))).toEqual([]);
  });

  it("names the words of every list of words, and the settings that must be set", () => {
    const of = (name: string) => rows.find(([first]) => first === `\`${name}\``)?.slice(1, 3);
    expect(of("evmChains[].enabledFeatures")).toEqual(["list of `nftIndexing`, `webhooks`, `teleporter`", "`[]`"]);
    expect(of("apiKeys[].networks")).toEqual(["list of `mainnet`, `fuji`", "none"]);
    expect(of("evmChains[].nodeUrl")).toEqual(["URL", "**must be set**"]);
    expect(of("evmChains[].nodeHeaders")).toEqual(["object", "`{}`"]);
  });
});
