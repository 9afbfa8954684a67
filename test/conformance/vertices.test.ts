import { nodeVertices } from "../support/recorded/node-blocks.ts";
import { recordingFolder } from "../support/recorded/primary-vectors.ts";
import { type Api, startPrimaryApi } from "./api.ts";
import { vertexPaginationRules } from "./vertices.ts";

const folder = recordingFolder("delta");
const expected = nodeVertices(folder)
  .map(({ vertexHash }) => vertexHash)
  .reverse();

describe("E19 for a recording whose X-Chain started with vertices", () => {
  let api: Api;
  beforeAll(async () => {
    api = await startPrimaryApi(folder);
  });
  afterAll(() => api[Symbol.asyncDispose]());

  it.each(vertexPaginationRules(() => expected))("$id $level $title", ({ check }) => check(api));

  it("E19.3 MUST a vertex has its documented fields, with numbers as JSON numbers", async () => {
    const { vertices, chainInfo } = await api.body<{ vertices: object[]; chainInfo: object }>(
      "/v1/networks/fuji/blockchains/x-chain/vertices?pageSize=100",
    );
    expect(chainInfo).toEqual({ chainName: "x-chain", network: "fuji" });
    const recorded = nodeVertices(folder).reverse().slice(0, 100);
    expect(vertices).toMatchObject(recorded);
    for (const vertex of vertices)
      expect(vertex).toEqual({
        vertexHash: expect.any(String),
        parentHashes: expect.any(Array),
        vertexHeight: expect.any(Number),
        vertexIndex: expect.any(Number),
        vertexTimestamp: expect.any(Number),
        txCount: expect.any(Number),
        transactions: expect.any(Array),
        vertexSizeBytes: expect.any(Number),
      });
  });
});
