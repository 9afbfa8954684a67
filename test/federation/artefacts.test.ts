import { readFileSync } from "node:fs";
import { print } from "graphql";
import { composeSupergraph } from "../../gateway/compose.ts";
import { composeVariant } from "../../gateway/schemas/variants.ts";
import { committedSupergraph, variantDocument } from "../../gateway/supergraph.ts";
import { loadSchemas } from "../../subgraphs/load.ts";

const schemas = await loadSchemas();

describe("the committed schemas", () => {
  it.each(schemas)("include the SDL of the $name subgraph", ({ name, sdl }) => {
    expect(readFileSync(`subgraphs/${name}/schema.graphql`, "utf8")).toBe(sdl);
  });

  it("include the supergraph that the subgraphs compose to", () => {
    const composed = composeSupergraph(
      schemas.map(({ name, port, sdl }) => ({ name, url: `http://127.0.0.1:${port}/graphql`, sdl })),
    );
    expect(committedSupergraph()).toBe(composed);
  });

  it.each(["api", "public"] as const)("include the %s schema of callers of the supergraph", (name) => {
    expect(print(variantDocument(committedSupergraph(), name))).toBe(
      print(composeVariant(committedSupergraph(), name)),
    );
  });

  it("cannot be composed from conflicting subgraphs; the error names the type", () => {
    const other = "type Query { nothing: Int } type Chain { nothing: Int }";
    const subgraphs = [
      ...schemas.filter(({ name }) => name === "evm").map(({ sdl }) => ({ name: "evm", url: "http://evm", sdl })),
      { name: "other", url: "http://other", sdl: other },
    ];
    expect(() => composeSupergraph(subgraphs)).toThrow(/Chain/);
  });
});
