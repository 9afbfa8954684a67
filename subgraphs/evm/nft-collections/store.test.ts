import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

const NOBODY = `0x${"1".repeat(40)}`;
/** The collection of a token in the README. */
const COLLECTION = "0xaec8bb5c8ef4c13db42d5adf36bca9199d6677eb";

describe("an NFT collection", () => {
  it("is found by chain and address, with the metadata of the contract", async () => {
    const ask = (chainId: string, address: string) =>
      opened.ask(
        `{ nftCollection(chainId: "${chainId}", address: "${address}") { name symbol firstBlockNumber chain { chainName } } }`,
      );
    const [row = ""] = await opened.values(
      `SELECT name || ' ' || symbol || ' ' || first_block_number AS value FROM nft_contracts WHERE chain_id = ${C_CHAIN} AND address = '\\x${COLLECTION.slice(2)}'`,
    );
    const [firstBlockNumber, symbol, ...name] = row.split(" ").reverse();
    expect(await ask(C_CHAIN, COLLECTION.toUpperCase().replace("X", "x"))).toEqual({
      data: {
        nftCollection: { name: name.reverse().join(" "), symbol, firstBlockNumber, chain: { chainName: "C-Chain" } },
      },
    });
    for (const [chainId, address] of [
      [L1, COLLECTION],
      [C_CHAIN, NOBODY],
    ] as const)
      expect(await ask(chainId, address)).toEqual({ data: { nftCollection: null } });
  });

  it("is joined to its tokens, and resolved by its key, in one statement", async () => {
    const token = `erc721Token(chainId: "${C_CHAIN}", address: "${COLLECTION}", tokenId: "2") { collection { address } }`;
    const { data } = await opened.ask(`{ ${token} }`);
    expect(data).toEqual({
      erc721Token: { collection: { address: expect.stringMatching(new RegExp(COLLECTION, "i")) } },
    });
    const [multi = ""] = await opened.values(
      `SELECT '0x' || encode(address, 'hex') || ' ' || token_id AS value FROM nft_items WHERE chain_id = ${C_CHAIN} AND erc_type = 'ERC-1155' LIMIT 1`,
    );
    const [address, tokenId] = multi.split(" ");
    const found = await opened.ask(
      `{ erc1155Token(chainId: "${C_CHAIN}", address: "${address}", tokenId: "${tokenId}") { collection { chainId } } }`,
    );
    expect(found.data).toEqual({ erc1155Token: { collection: { chainId: C_CHAIN } } });
    const { load } = opened.context();
    const statements = await statementsOf(() =>
      Promise.all(
        [COLLECTION, address ?? "", NOBODY].map((one) => load.nftCollection({ chainId: C_CHAIN, address: one })),
      ),
    );
    expect(statements).toHaveLength(1);
  });
});
