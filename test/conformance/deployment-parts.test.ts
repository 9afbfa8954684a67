import type { Config } from "../../core/config/config-schema.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { expectContract } from "./contract.ts";
import { factsOf, shownAddress } from "./recorded-facts.ts";

const CHAIN_ID = 760011;
/**
 * An address without a contract. No recorded transaction creates a contract and also has the required contents, so tests insert
 * a deployment of this address.
 */
const MADE = `0x${"ab".repeat(20)}`;
const PATH = `/v1/chains/${CHAIN_ID}/contracts/${MADE}/transactions:getDeployment`;

let alpha: Awaited<ReturnType<typeof indexedAlpha>>;
let config: Config;
let stack: Stack;

beforeAll(async () => {
  alpha = await indexedAlpha();
  const evmChains = alpha.config.evmChains.map((chain) => ({
    ...chain,
    networkToken: { ...chain.networkToken, priceId: "coin" },
    tokenPriceIds: Object.fromEntries(erc20s().map((address) => [address, "token"])),
  }));
  config = { ...alpha.config, evmChains };
  stack = await startStack({ database: alpha, config });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await alpha[Symbol.asyncDispose]();
});

const facts = factsOf(CHAIN_ID);
const erc20s = () => facts.erc20_tokens.map(({ address }) => String(address));
const NOW_SECONDS = Math.floor(Date.now() / 1_000);

interface Body {
  readonly erc20Transfers: readonly { readonly erc20Token: { readonly price?: unknown } }[];
  readonly erc721Transfers: readonly Transfer[];
  readonly erc1155Transfers: readonly Transfer[];
  readonly networkTokenDetails: Readonly<Record<string, unknown>>;
  readonly teleporterMessageInfo?: Readonly<Record<string, string>>;
}

interface Transfer {
  readonly logIndex: number;
  readonly [token: string]: unknown;
}

/** The response of E6 if the transaction had created the contract. */
async function madeBy(txHash: unknown, query = "", mount = ""): Promise<Body> {
  const { pool } = alpha;
  await pool.query(
    `INSERT INTO evm_deployments SELECT chain_id, $1, block_number, block_index, 0, tx_hash, from_address, 'CREATE'
     FROM evm_transactions WHERE chain_id = ${CHAIN_ID} AND tx_hash = $2`,
    [bytes(MADE), bytes(String(txHash))],
  );
  const { status, body } = await stack.get(mount + PATH + query);
  await pool.query("DELETE FROM evm_deployments WHERE address = $1", [bytes(MADE)]);
  expect(status).toBe(200);
  if (mount === "") expectContract("GET", PATH, status, body);
  return body as Body;
}

const bytes = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex");

/** The transaction with the most of these rows, and the order of the rows. */
function busiest(rows: typeof facts.erc721_transfers) {
  const counts = new Map<unknown, number>();
  for (const { tx_hash } of rows) counts.set(tx_hash, (counts.get(tx_hash) ?? 0) + 1);
  const [txHash] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  return { txHash, rows: rows.filter(({ tx_hash }) => tx_hash === txHash) };
}

describe("E6 for a transaction that also", () => {
  it("transfers ERC-721 tokens: returns all of them with metadata, whose status differs by dialect (D4)", async () => {
    const { txHash, rows } = busiest(facts.erc721_transfers);
    expect(rows.length).toBeGreaterThan(2);
    for (const [mount, status] of [
      ["", /^[a-z_]+$/],
      ["/hosted", /^[A-Z_]+$/],
    ] as const)
      expect((await madeBy(txHash, "", mount)).erc721Transfers).toEqual(
        rows.map((row) => ({
          from: { address: shownAddress(row["from_address"]) },
          to: { address: shownAddress(row["to_address"]) },
          logIndex: Number(row["log_index"]),
          erc721Token: expect.objectContaining({
            address: shownAddress(row["token_address"]),
            ercType: "ERC-721",
            tokenId: row["token_id"],
            tokenUri: expect.any(String),
            metadata: expect.objectContaining({ indexStatus: expect.stringMatching(status) }),
          }),
        })),
      );
  });

  it("transfers ERC-1155 tokens: returns each id of a batch, also repeated ids", async () => {
    const { txHash, rows } = busiest(facts.erc1155_transfers);
    expect(rows.length).toBeGreaterThan(2);
    expect((await madeBy(txHash)).erc1155Transfers).toEqual(
      rows.map((row) => ({
        from: { address: shownAddress(row["from_address"]) },
        to: { address: shownAddress(row["to_address"]) },
        logIndex: Number(row["log_index"]),
        value: row["value"],
        erc1155Token: expect.objectContaining({
          address: shownAddress(row["token_address"]),
          ercType: "ERC-1155",
          tokenId: row["token_id"],
          metadata: expect.objectContaining({ indexStatus: expect.stringMatching(/^[a-z_]+$/) }),
        }),
      })),
    );
  });

  it("sends or receives Teleporter messages: returns only the first, with the other chain's name", async () => {
    const isOwn = ({ event }: { readonly event?: string | null }) => event === "SendCrossChainMessage";
    const { blockchainId } = config.evmChains.find(({ chainId }) => chainId === CHAIN_ID) ?? {};
    const directions = new Set<string>();
    for (const { tx_hash } of facts.icm_events) {
      const [first] = facts.icm_events.filter((row) => row["tx_hash"] === tx_hash && row["direction"] !== null);
      const info = (await madeBy(tx_hash)).teleporterMessageInfo;
      if (!first) expect(info).toBeUndefined();
      else {
        const { sourceChainId, destinationChainId, ...rest } = info ?? {};
        expect(rest).toEqual({ teleporterMessageId: first["message_id"], direction: first["direction"] });
        const [other, none] = isOwn(first) ? [destinationChainId, sourceChainId] : [sourceChainId, destinationChainId];
        expect([none, other]).toEqual([undefined, expect.stringMatching(/^76001[12]$|^[1-9A-HJ-NP-Za-km-z]{43,50}$/)]);
        expect(other).not.toBe(blockchainId);
      }
      directions.add(info?.["direction"] ?? "none");
    }
    expect([...directions].sort()).toEqual(["DESTINATION_TRANSACTION", "SOURCE_TRANSACTION", "none"]);
  });

  it("has prices: returns the current and past price in the requested currency, in the form of each dialect (D2)", async () => {
    const { txHash, rows } = busiest(facts.erc20_transfers);
    const at = Number(rows[0]?.["block_timestamp"]);
    await alpha.pool.query(
      `INSERT INTO prices SELECT a, c, t, v FROM (VALUES
         ('coin', 'usd', ${at - 60}, 12.34), ('coin', 'usd', ${NOW_SECONDS - 60}, 20.5),
         ('coin', 'eur', ${at - 60}, 11), ('token', 'eur', ${NOW_SECONDS - 60}, 0.000000000001)) p(a, c, t, v)`,
    );
    // The native token's price in euros is a past one only.
    const settings = { prices: { maxAgeSeconds: 3_600 } };
    await using priced = await startStack({ database: alpha, config, settings });
    const { networkTokenDetails: asked } = await withStack(priced, () => madeBy(txHash));
    const historicalPrice = { currencyCode: "usd", value: "12.34" };
    expect(asked).toMatchObject({ currentPrice: { currencyCode: "usd", value: "20.5" }, historicalPrice });
    const inEuro = await withStack(priced, () => madeBy(txHash, "?currency=eur"));
    expect(inEuro.networkTokenDetails).toMatchObject({ historicalPrice: { currencyCode: "eur", value: "11" } });
    expect(inEuro.networkTokenDetails).not.toHaveProperty("currentPrice");
    expect(inEuro.erc20Transfers.map(({ erc20Token }) => erc20Token.price)).toEqual(
      rows.map(() => ({ currencyCode: "eur", value: "0.000000000001" })),
    );
    const hosted = await withStack(priced, () => madeBy(txHash, "", "/hosted"));
    expect(hosted.networkTokenDetails).toMatchObject({ historicalPrice: { currencyCode: "usd", value: 12.34 } });
  });
});

/** Prices are cached for seconds, so another stack reads the new ones. */
async function withStack<Result>(other: Stack, task: () => Promise<Result>): Promise<Result> {
  const before = stack;
  stack = other;
  try {
    return await task();
  } finally {
    stack = before;
  }
}
