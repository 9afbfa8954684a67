import { startReplayNode } from "../../../recordings/replay-node.ts";
import { testConfig } from "../../../test/support/config.ts";
import { CONSTANT_WORK } from "../../../test/support/indexed/constant-work.ts";
import { indexedAlpha } from "../../../test/support/indexed/indexed.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { startMetadataServer } from "../../../test/support/node/metadata-server.ts";
import { createNodeClient } from "../../shared/node/node-client.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { createEvmSource } from "../fetch/source.ts";
import { indexNftMetadata } from "./index-nft-metadata.ts";

const C_CHAIN = "760011";
const CID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

/** Contracts of the C-Chain's recording, by their names in its activity. */
const DEEDS = "aec8bb5c8ef4c13db42d5adf36bca9199d6677eb";
const IDS = "38492386223ee7a1b7665d6c1dd13046bb27dd90";
const NO_METADATA = "fd870bee9ea3855e607d52b5e7a9e42c022a2bce";
const NO_NFT = "57807fb237823f8101f0115888d2acbccc7deffb";
const COMMON_URI = "35b4b5ae57ecfb1690964f967a36d23a86c6418c";
const PIECES = "3d596b4bc2fc205cf1f3e7794a09e6d15c2ba9ba";

const MOST = (2n ** 256n - 1n).toString();
const STATUSES: readonly (readonly [what: string, address: string, tokenId: string, status: string])[] = [
  ["https", DEEDS, "1", "UNINDEXED"],
  ["base64 JSON", DEEDS, "2", "INDEXED"],
  ["tokenURI reverts, the token has an owner", DEEDS, "3", "INVALID_TOKEN_URI"],
  ["ipfs", DEEDS, "4", "UNINDEXED"],
  ["empty", DEEDS, "5", "INVALID_TOKEN_URI"],
  ["JSON cut short", DEEDS, "6", "INVALID_METADATA_JSON"],
  ["other media type", DEEDS, "7", "INVALID_METADATA_JSON"],
  ["unknown scheme", DEEDS, "8", "INVALID_TOKEN_URI_SCHEME"],
  ["no scheme at all", DEEDS, "9", "INVALID_TOKEN_URI"],
  ["percent-encoded JSON", DEEDS, "10", "INDEXED"],
  ["JSON array instead of an object", DEEDS, "11", "INVALID_METADATA"],
  ["ar", DEEDS, "12", "INVALID_TOKEN_URI_SCHEME"],
  ["empty, of a batch", DEEDS, "1000", "INVALID_TOKEN_URI"],
  ["burned and made again, with ipfs of no CID", DEEDS, "1005", "INVALID_TOKEN_URI"],
  ["id 0, with ipfs of no CID", IDS, "0", "INVALID_TOKEN_URI"],
  ["id of 65 bits", IDS, "18446744073709551616", "INVALID_TOKEN_URI"],
  ["id of 129 bits", IDS, "340282366920938463463374607431768211461", "INVALID_TOKEN_URI"],
  ["id of 256 bits", IDS, MOST, "INVALID_TOKEN_URI"],
  ["without metadata extension", NO_METADATA, "1", "INVALID_TOKEN_URI"],
  ["a contract without NFTs", NO_NFT, "1", "MISSING_TOKEN"],
  ["ERC-1155, https for all ids", COMMON_URI, "0", "UNINDEXED"],
  ["ERC-1155, https for all ids, the largest id", COMMON_URI, MOST, "UNINDEXED"],
  ["ERC-1155, base64 JSON", PIECES, "77", "INDEXED"],
];

let database: Awaited<ReturnType<typeof indexedAlpha>>;
beforeAll(async () => {
  database = await indexedAlpha();
});
afterAll(() => database[Symbol.asyncDispose]());

interface Row extends Record<string, unknown> {
  readonly token_uri: string;
  readonly index_status: string;
}

async function rowOf(address: string, tokenId: string): Promise<Row | undefined> {
  const text = "SELECT * FROM nft_metadata WHERE chain_id = $1 AND address = $2 AND token_id = $3";
  return (await database.pool.query<Row>(text, [C_CHAIN, `\\x${address}`, tokenId])).rows[0];
}

describe("the recorded NFTs, with only data: URIs read", () => {
  it.each(STATUSES)("have the right status: %s", async (_what, address, tokenId, status) => {
    expect(await rowOf(address, tokenId)).toMatchObject({ index_status: status, next_attempt_at: null });
  });

  it("have the metadata of their URIs", async () => {
    expect(await rowOf(DEEDS, "2")).toMatchObject({
      name: "Deed #2",
      description: "Gneiss",
      image_uri: "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>2</text></svg>",
      attributes: JSON.stringify([
        { trait_type: "weight", value: 12, display_type: "number" },
        { trait_type: "colour", value: "grey" },
      ]),
    });
    expect(await rowOf(DEEDS, "10")).toMatchObject({ name: "Deed é 氷", description: "encoded" });
    expect(await rowOf(PIECES, "77")).toMatchObject({ name: "Piece 77", decimals: null, properties: null });
  });

  it("have the URI that the contract returns", async () => {
    expect((await rowOf(DEEDS, "1"))?.token_uri).toBe("https://moraine.invalid/changed/1");
    expect((await rowOf(DEEDS, "4"))?.token_uri).toBe(`ipfs://${CID}/4.json`);
    expect((await rowOf(COMMON_URI, "5"))?.token_uri).toBe("https://moraine.invalid/multi/{id}.json");
    expect((await rowOf(DEEDS, "3"))?.token_uri).toBe("");
  });

  it("are all read, each token once for each standard", async () => {
    const { rows } = await database.pool.query<{ items: string; done: string; metadata: string }>(
      `SELECT count(*) AS items, count(*) FILTER (WHERE metadata_state = 'DONE') AS done,
         (SELECT count(*) FROM nft_metadata) AS metadata FROM nft_items`,
    );
    expect(Number(rows[0]?.items)).toBeGreaterThan(100);
    expect(rows[0]).toEqual({ items: rows[0]?.items, done: rows[0]?.items, metadata: rows[0]?.items });
  });
});

describe("the recorded NFTs, with remote URIs read too", () => {
  it("are requested from their URIs, for ipfs: URIs from the gateway", async () => {
    const metadata = JSON.stringify({ name: "Deed #4" });
    await using gateway = await startMetadataServer({
      isPlain: true,
      documents: { [`/ipfs/${CID}/4.json`]: metadata },
    });
    await using node = await startReplayNode();
    const names: string[] = [];
    const resolve = async (hostname: string) => {
      names.push(hostname);
      return [];
    };
    const stop = new AbortController();
    await using writer = (await tryBecomeWriter(database.url, C_CHAIN)) as Writer;
    const { nodeUrl } = database.config.evmChains[0] as { nodeUrl: string };
    await using client = createNodeClient({
      url: node.url + new URL(nodeUrl).pathname,
      headers: {},
      requestTimeoutMs: 5_000,
      maxConcurrency: 4,
      maxBatchSize: 10,
      signal: stop.signal,
    });
    const running = indexNftMetadata({
      chainId: C_CHAIN,
      writer,
      work: CONSTANT_WORK,
      contractNode: () => ({ node: client, source: createEvmSource(client, "off") }),
      signal: stop.signal,
      isOn: true,
      settings: { ...testConfig().nftMetadata, remote: true, ipfsGateway: gateway.url },
      addressPolicy: { isAllowed: () => false, resolve },
    });
    const untried =
      "SELECT count(*)::int AS count FROM nft_metadata WHERE chain_id = $1 AND index_status = 'UNINDEXED'";
    const left = async () => (await database.pool.query<{ count: number }>(untried, [C_CHAIN])).rows[0]?.count;
    await until(left, (count) => count === 0, "all to be tried");
    stop.abort();
    await running;
    expect(await rowOf(DEEDS, "4")).toMatchObject({ index_status: "INDEXED", name: "Deed #4" });
    expect(await rowOf(DEEDS, "1")).toMatchObject({ index_status: "UNREACHABLE_TOKEN_URI", name: null });
    expect(await rowOf(COMMON_URI, "5")).toMatchObject({ index_status: "UNREACHABLE_TOKEN_URI" });
    expect(gateway.paths).toEqual([`/ipfs/${CID}/4.json`]);
    expect(new Set(names)).toEqual(new Set(["moraine.invalid"]));
  });
});
