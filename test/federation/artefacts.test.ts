import { readFileSync } from "node:fs";
import { composeSupergraph } from "../../gateway/compose.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { sdl } from "../../subgraphs/evm/schema.ts";

describe("the artefacts of the graph", () => {
  it("have the SDL of the evm subgraph as the code has it", () => {
    expect(readFileSync("subgraphs/evm/schema.graphql", "utf8")).toBe(sdl);
  });

  it("have the supergraph that the subgraphs compose to", () => {
    const [, url = ""] = /EVM @join__graph\(name: "evm", url: "([^"]+)"\)/.exec(committedSupergraph()) ?? [];
    expect(committedSupergraph()).toBe(composeSupergraph([{ name: "evm", url, sdl }]));
  });

  it("name the reason when subgraphs do not compose", () => {
    const other = "type Query { nothing: Int } type Chain { nothing: Int }";
    const subgraphs = [
      { name: "evm", url: "http://evm", sdl },
      { name: "other", url: "http://other", sdl: other },
    ];
    expect(() => composeSupergraph(subgraphs)).toThrow(/Chain/);
  });
});
