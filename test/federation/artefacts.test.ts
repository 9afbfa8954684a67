import { readFileSync } from "node:fs";
import { composeSupergraph } from "../../gateway/compose.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { sdl } from "../../subgraphs/evm/schema.ts";
import { sdl as metricsSdl } from "../../subgraphs/metrics/schema.ts";
import { sdl as nodeSdl } from "../../subgraphs/node/schema.ts";
import { sdl as operationsSdl } from "../../subgraphs/operations/schema.ts";
import { sdl as primarySdl } from "../../subgraphs/primary-network/schema.ts";
import { sdl as signaturesSdl } from "../../subgraphs/signatures/schema.ts";

describe("the committed schemas", () => {
  it("include the SDL of the evm subgraph", () => {
    expect(readFileSync("subgraphs/evm/schema.graphql", "utf8")).toBe(sdl);
  });

  it("include the SDL of the primary-network subgraph", () => {
    expect(readFileSync("subgraphs/primary-network/schema.graphql", "utf8")).toBe(primarySdl);
  });

  it("include the SDL of the node subgraph", () => {
    expect(readFileSync("subgraphs/node/schema.graphql", "utf8")).toBe(nodeSdl);
  });

  it("include the SDL of the operations subgraph", () => {
    expect(readFileSync("subgraphs/operations/schema.graphql", "utf8")).toBe(operationsSdl);
  });

  it("include the SDL of the metrics subgraph", () => {
    expect(readFileSync("subgraphs/metrics/schema.graphql", "utf8")).toBe(metricsSdl);
  });

  it("include the SDL of the signatures subgraph", () => {
    expect(readFileSync("subgraphs/signatures/schema.graphql", "utf8")).toBe(signaturesSdl);
  });

  it("include the supergraph that the subgraphs compose to", () => {
    const urlOf = (name: string) =>
      new RegExp(`@join__graph\\(name: "${name}", url: "([^"]+)"\\)`).exec(committedSupergraph())?.[1] ?? "";
    const own = { node: nodeSdl, operations: operationsSdl, metrics: metricsSdl, signatures: signaturesSdl };
    const sdls = { evm: sdl, "primary-network": primarySdl, ...own };
    const subgraphs = Object.entries(sdls);
    const composed = composeSupergraph(subgraphs.map(([name, one]) => ({ name, url: urlOf(name), sdl: one })));
    expect(committedSupergraph()).toBe(composed);
  });

  it("cannot be composed from conflicting subgraphs; the error names the type", () => {
    const other = "type Query { nothing: Int } type Chain { nothing: Int }";
    const subgraphs = [
      { name: "evm", url: "http://evm", sdl },
      { name: "other", url: "http://other", sdl: other },
    ];
    expect(() => composeSupergraph(subgraphs)).toThrow(/Chain/);
  });
});
