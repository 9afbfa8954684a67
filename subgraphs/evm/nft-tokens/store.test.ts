import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import type { NftKey } from "./store.ts";

/** Contracts of the C-Chain's recording. */
const DEEDS = "0xaec8bb5c8ef4c13db42d5adf36bca9199d6677eb";
const NO_NFT = "0x57807fb237823f8101f0115888d2acbccc7deffb";
const PIECES = "0x3d596b4bc2fc205cf1f3e7794a09e6d15c2ba9ba";
const COMMON_URI = "0x35b4b5ae57ecfb1690964f967a36d23a86c6418c";
const MOST = (2n ** 256n - 1n).toString();

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

const key = (address: string, tokenId: string, chainId = C_CHAIN): NftKey => ({ chainId, address, tokenId });

async function keysOf(ercType: string): Promise<NftKey[]> {
  const { rows } = await opened.database.pool.query<NftKey>(
    `SELECT chain_id AS "chainId", '0x' || encode(address, 'hex') AS address, token_id AS "tokenId"
     FROM nft_items WHERE erc_type = $1 ORDER BY 1, 2, 3`,
    [ercType],
  );
  return rows;
}

describe("the NFT store", () => {
  it("returns an ERC-721 token with the name of its contract, its metadata and its owner", async () => {
    expect(await opened.context().load.erc721Token(key(DEEDS, "10"))).toEqual({
      chainId: C_CHAIN,
      address: DEEDS,
      name: "Boulder Deeds",
      symbol: "BOULD",
      ercType: "ERC-721",
      tokenId: "10",
      tokenUri: expect.stringMatching(/^data:application\/json;utf8,%7B/),
      ownerAddress: "0xe6ce9ada27867bdb77c68899c5f93ca72cc542cd",
      metadata: {
        indexStatus: "INDEXED",
        metadataLastUpdatedTimestamp: expect.stringMatching(/^\d{10}$/),
        name: "Deed é 氷",
        description: "encoded",
        symbol: null,
        imageUri: null,
        animationUri: null,
        externalUrl: null,
        background: null,
        attributes: null,
      },
    });
  });

  it("returns an ERC-1155 token with its metadata", async () => {
    expect(await opened.context().load.erc1155Token(key(PIECES, "77"))).toEqual({
      chainId: C_CHAIN,
      address: PIECES,
      ercType: "ERC-1155",
      tokenId: "77",
      tokenUri: "data:application/json;base64,eyJuYW1lIjoiUGllY2UgNzcifQ==",
      metadata: {
        indexStatus: "INDEXED",
        metadataLastUpdatedTimestamp: expect.stringMatching(/^\d{10}$/),
        name: "Piece 77",
        symbol: null,
        imageUri: null,
        description: null,
        animationUri: null,
        externalUrl: null,
        background: null,
        decimals: null,
        properties: null,
      },
    });
  });

  it("returns the owner of every token as `ownerOf` of the recorded node does", async () => {
    const recording = openRecording(ALPHA);
    const { load } = opened.context();
    const paths = new Map(
      opened.database.config.evmChains.map(({ chainId, nodeUrl = "" }) => [String(chainId), new URL(nodeUrl).pathname]),
    );
    let compared = 0;
    for (const token of await keysOf("ERC-721")) {
      const data = `0x6352211e${BigInt(token.tokenId).toString(16).padStart(64, "0")}`;
      const params = [{ to: token.address, data }, "latest"];
      const owner = recording.answer(paths.get(token.chainId) ?? "", "eth_call", params)?.text ?? "";
      const [, address] = /^"0x0{24}([0-9a-f]{40})"$/.exec(owner) ?? [];
      if (address === undefined) continue;
      compared++;
      expect([token, (await load.erc721Token(token))?.ownerAddress]).toEqual([token, `0x${address}`]);
    }
    expect(compared).toBeGreaterThan(50);
  });

  it("returns null as the owner of a burned token", async () => {
    const { rows } = await opened.database.pool.query<NftKey>(
      `SELECT DISTINCT ON (chain_id, token_address, token_id) chain_id AS "chainId",
         '0x' || encode(token_address, 'hex') AS address, token_id AS "tokenId", to_address
       FROM erc721_transfers WHERE to_address = decode(repeat('00', 20), 'hex') ORDER BY 1, token_address, 3`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { chainId, address, tokenId } of rows) {
      await opened.database.pool.query(
        `DELETE FROM erc721_transfers WHERE chain_id = $1 AND token_address = $2 AND token_id = $3
           AND block_number > (SELECT max(block_number) FROM erc721_transfers WHERE chain_id = $1
             AND token_address = $2 AND token_id = $3 AND to_address = decode(repeat('00', 20), 'hex'))`,
        [chainId, `\\x${address.slice(2)}`, tokenId],
      );
      const token = await opened.context().load.erc721Token({ chainId, address, tokenId });
      expect(token).toMatchObject({ ownerAddress: null, tokenId });
    }
  });

  it("returns null for a token without a transfer of that standard", async () => {
    const { load } = opened.context();
    expect(await load.erc721Token(key(DEEDS, "999999"))).toBeNull();
    expect(await load.erc721Token(key(DEEDS, "10", L1))).toBeNull();
    expect(await load.erc721Token(key(PIECES, "77"))).toBeNull();
    expect(await load.erc1155Token(key(DEEDS, "10"))).toBeNull();
    expect(await load.erc1155Token(key(`0x${"1".repeat(40)}`, "1"))).toBeNull();
  });

  it("reads any number of tokens of any chains in one statement for each standard and chain", async () => {
    const erc721 = await keysOf("ERC-721");
    const erc1155 = await keysOf("ERC-1155");
    const { load } = opened.context();
    let tokens: unknown[] = [];
    const statements = await statementsOf(async () => {
      tokens = await Promise.all([...erc721.map(load.erc721Token), ...erc1155.map(load.erc1155Token)]);
    });
    expect(statements).toHaveLength(4);
    expect(tokens).toMatchObject([...erc721, ...erc1155]);
  });

  it("returns the status UNINDEXED for a token whose metadata was never read", async () => {
    await opened.database.pool.query(
      `DELETE FROM nft_metadata WHERE address = '\\x${NO_NFT.slice(2)}'; DELETE FROM nft_contracts WHERE address = '\\x${NO_NFT.slice(2)}'`,
    );
    expect(await opened.context().load.erc721Token(key(NO_NFT, "1"))).toMatchObject({
      name: "",
      symbol: "",
      tokenUri: "",
      metadata: { indexStatus: "UNINDEXED", metadataLastUpdatedTimestamp: null, name: null },
    });
  });

  it("accepts the largest token id, and the address in any case", async () => {
    const address = COMMON_URI.toUpperCase().replace("X", "x");
    const query = `{ erc1155Token(chainId: "${C_CHAIN}", address: "${address}", tokenId: "${MOST}") { tokenId ercType metadata { indexStatus } chain { chainName } } }`;
    expect(await opened.ask(query)).toEqual({
      data: {
        erc1155Token: {
          tokenId: MOST,
          ercType: "ERC-1155",
          metadata: { indexStatus: "UNINDEXED" },
          chain: { chainName: "C-Chain" },
        },
      },
    });
    const tooWide = query.replace(MOST, "9".repeat(78));
    expect(await opened.ask(tooWide)).toEqual({ data: { erc1155Token: null } });
  });
});
