import { configurationPage } from "./configuration-page.ts";

/** Cells of the settings tables. */
const rows = configurationPage()
  .split("\n")
  .filter((line) => /^\| `[a-z]/.test(line) && line.split(" | ").length > 3)
  .map((line) => line.slice(2, -2).split(" | "));

describe("the page of settings", () => {
  it("describes every setting with its rule, default and meaning", () => {
    expect(rows.length).toBeGreaterThan(60);
    expect(
      rows.filter((cells) => cells.length !== 5 || cells.some((cell, column) => column !== 1 && cell.trim() === "")),
    ).toEqual([]);
  });

  it("has a table wherever its text announces one", () => {
    const below = rows
      .filter(([, , , standard]) => standard === "see below")
      .map(([name = ""]) => name.replaceAll("`", ""));
    expect(below.length).toBeGreaterThan(3);
    expect(below.filter((name) => !configurationPage().includes(`\n## ${name}\n`))).toEqual([]);
  });

  it("lists the values of every enumeration, and the required settings", () => {
    const of = (name: string) => rows.find(([first]) => first === `\`${name}\``)?.slice(2, 4);
    expect(of("evmChains[].enabledFeatures")).toEqual(["list of `nftIndexing`, `webhooks`, `teleporter`", "`[]`"]);
    expect(of("apiKeys[].networks")).toEqual(["list of `mainnet`, `fuji`", "none"]);
    expect(of("evmChains[].nodeUrl")).toEqual(["URL", "none"]);
    expect(of("graph.subgraphs[].name")?.[1]).toBe("**must be set**");
    expect(of("evmChains[].nodeHeaders")).toEqual(["object", "`{}`"]);
  });
});
