import { SERVICE_WORK } from "../../../core/work/work.ts";
import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { allOf, argsOf } from "../../../test/support/lists/walk.ts";
import { EvmBlocksArgs } from "./types.ts";

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

function page(asked: Partial<EvmBlocksArgs>) {
  const args = Object.assign(new EvmBlocksArgs(), { chainId: C_CHAIN, ...asked });
  return opened.context().blocks.page(args, SERVICE_WORK);
}

describe("the block store", () => {
  it.each([1, 7, 100])(
    "E14 pages through all blocks with a page size of %d, newest first, each once",
    async (pageSize) => {
      const blocks = await allOf((at) => page(argsOf(at)), pageSize);
      const numbers = await opened.values(
        `SELECT block_number AS value FROM evm_blocks WHERE chain_id = ${C_CHAIN} ORDER BY 1 DESC`,
      );
      expect(blocks.map(({ blockNumber }) => blockNumber)).toEqual(numbers);
    },
  );

  it("E14 continues with another page size, and with the blockchain id as chainId", async () => {
    const { nextPageToken } = await page({ first: 5 });
    const chainId = opened.database.config.evmChains[0]?.blockchainId ?? "";
    const { nodes } = await page({ chainId, after: nextPageToken, first: 2 });
    expect(nodes.map(({ blockNumber }) => blockNumber)).toEqual(["229", "228"]);
  });

  it("E14 rejects a page token of another chain, one that was changed, and one older than 24 hours", async () => {
    const { nextPageToken } = await page({ first: 5 });
    const rejection = { code: "INVALID_PARAMETER" };
    await expect(page({ chainId: L1, after: nextPageToken })).rejects.toMatchObject(rejection);
    await expect(page({ after: `A${nextPageToken}` })).rejects.toMatchObject(rejection);
    opened.clock.nowSeconds += 86_401;
    await expect(page({ after: nextPageToken })).rejects.toMatchObject({ message: /24 hours/ });
  });

  it.each([0, -1, 101])("E14 rejects pageSize %d", async (pageSize) => {
    await expect(page({ first: pageSize })).rejects.toMatchObject({
      message: `the page size must be from 1 to 100, got ${pageSize}`,
    });
  });

  it("E14 rejects a chain that is not configured", async () => {
    await expect(page({ chainId: "43114" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("finds blocks of several chains by number or hash, and returns null for others", async () => {
    const { load } = opened.context();
    const [first, other, beyond] = await Promise.all([
      load.blockByNumber({ chainId: C_CHAIN, blockNumber: "46" }),
      load.blockByNumber({ chainId: L1, blockNumber: "46" }),
      load.blockByNumber({ chainId: C_CHAIN, blockNumber: "9".repeat(78) }),
    ]);
    expect([first?.chainId, other?.chainId, beyond]).toEqual([C_CHAIN, L1, null]);
    const blockHash = first?.blockHash ?? "";
    expect(await load.blockByHash({ chainId: C_CHAIN, blockHash })).toEqual(first);
    expect(await load.blockByHash({ chainId: L1, blockHash })).toBeNull();
  });

  it("returns the same row from the page and by key", async () => {
    const { blocks, load } = opened.context();
    const [first] = await blocks.between(C_CHAIN, 46n, 46n, SERVICE_WORK);
    expect(await load.blockByNumber({ chainId: C_CHAIN, blockNumber: "46" })).toEqual(first);
    expect(Object.values(first ?? {}).every((value) => value === null || typeof value !== "object")).toBe(true);
  });

  it("finds evmBlock by number, by hash, by both if they match, and rejects a request without either", async () => {
    const { blockHash } = (await opened.context().blocks.between(C_CHAIN, 46n, 46n, SERVICE_WORK))[0] ?? {};
    const block = (selector: string) => opened.ask(`{ evmBlock(chainId: "${C_CHAIN}"${selector}) { blockNumber } }`);
    const found = { data: { evmBlock: { blockNumber: "46" } } };
    expect(await block(", blockNumber: 46")).toEqual(found);
    expect(await block(`, blockHash: "${blockHash?.toUpperCase().replace("X", "x")}"`)).toEqual(found);
    expect(await block(`, blockNumber: "46", blockHash: "${blockHash}"`)).toEqual(found);
    expect(await block(`, blockNumber: "47", blockHash: "${blockHash}"`)).toEqual({ data: { evmBlock: null } });
    expect((await block("")).errors?.[0]?.extensions["code"]).toBe("INVALID_PARAMETER");
  });
});
