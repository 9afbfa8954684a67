import { CurrencyCode } from "@avalanche-sdk/chainkit/models/components";
import {
  BadGatewayError,
  BadRequestError,
  ForbiddenError,
  NotFoundError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
} from "@avalanche-sdk/chainkit/models/errors";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { factsOf, listedInternals } from "../conformance/recorded-facts.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { listen } from "../support/node/listen.ts";
import { createOracle } from "../support/oracle/oracle.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { createOfficialClient } from "./official-client.ts";

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const oracle = createOracle(openRecording(ALPHA), 760011);

let alpha: Awaited<ReturnType<typeof indexedAlpha>>;
let stack: Stack;
beforeAll(async () => {
  alpha = await indexedAlpha();
  stack = await startStack({ database: alpha, config: alpha.config });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await alpha[Symbol.asyncDispose]();
});

const createClient = (options: { chainId?: string; apiKey?: string } = {}) =>
  createOfficialClient({ chainId: "760011", ...options });

/** Operations ignore the constructor's address, so each call passes it. */
const at = (prefix = "/hosted", { url } = stack) => ({ serverURL: url + prefix });

/** Every page of an iterator; a page that the client's schema refuses throws, with the reasons in `cause.issues`. */
async function collected<Page>(pages: Promise<AsyncIterable<Page>>): Promise<Page[]> {
  const all: Page[] = [];
  for await (const page of await pages) all.push(page);
  return all;
}

describe("the official client @avalanche-sdk/chainkit at /hosted", () => {
  it.each([
    [760011, 1],
    [760011, 100],
    [760012, 7],
  ])("E14 lists every block of chain %i in pages of %i", async (chainId, pageSize) => {
    const client = createClient({ chainId: String(chainId) });
    const pages = await collected(client.data.evm.blocks.listLatest({ pageSize }, at()));
    const blocks = pages.flatMap(({ result }) => result.blocks);
    const expected = createOracle(openRecording(ALPHA), chainId).blocks;
    expect(blocks).toEqual(expected);
  });

  it("E9 lists every transfer of every wallet", async () => {
    for (const address of oracle.wallets) {
      const pages = await collected(
        createClient().data.evm.address.transactions.listErc20({ address, pageSize: 10 }, at()),
      );
      const values = pages.flatMap(({ result }) => result.transactions).map(({ value }) => value);
      expect(values).toEqual(oracle.transfersOf(address).map(({ value }) => value));
    }
  });

  it("E9 lists a range of blocks, also from block 0", async () => {
    const query = { address: WALLET, startBlock: 0, endBlock: 20, pageSize: 100 };
    const [page] = await collected(createClient().data.evm.address.transactions.listErc20(query, at()));
    const expected = oracle.transfersOf(WALLET).filter(({ blockNumber }) => Number(blockNumber) < 20);
    expect(page?.result.transactions).toHaveLength(expected.length);
  });

  it("E9 and E8N show prices as numbers", async () => {
    const now = Math.floor(Date.now() / 1_000);
    const put = "INSERT INTO prices VALUES ('of-chainkit', 'usd', $1, '0.00000025') ON CONFLICT DO NOTHING";
    await alpha.pool.query(put, [now]);
    const tokenPriceIds = Object.fromEntries(oracle.transfers.map(({ token }) => [token, "of-chainkit"]));
    const evmChains = alpha.config.evmChains.map((chain) => ({
      ...chain,
      tokenPriceIds,
      networkToken: { ...chain.networkToken, priceId: "of-chainkit" },
    }));
    await using priced = await startStack({ database: alpha, config: { ...alpha.config, evmChains } });
    const { address } = createClient().data.evm;
    const pages = await collected(address.transactions.listErc20({ address: WALLET }, at("/hosted", priced)));
    const transfers = pages.flatMap(({ result }) => result.transactions);
    expect(transfers).toHaveLength(oracle.transfersOf(WALLET).length);
    for (const { erc20Token } of transfers) expect(erc20Token.price).toEqual({ currencyCode: "usd", value: 2.5e-7 });
    const { nativeTokenBalance } = await address.balances.getNative({ address: WALLET }, at("/hosted", priced));
    expect(nativeTokenBalance.price).toEqual({ currencyCode: "usd", value: 2.5e-7 });
    expect(nativeTokenBalance.balanceValue?.value).toBeCloseTo(
      (Number(nativeTokenBalance.balance) / 1e18) * 2.5e-7,
      12,
    );
  });

  it("E8N returns the balance of a wallet at the head and at a block", async () => {
    const recorded = openRecording(ALPHA).calls(oracle.chain.rpcPath, "eth_getBalance");
    const { balances } = createClient().data.evm.address;
    for (const [block, query] of [
      ["latest", {}],
      ["0x3a", { blockNumber: "58", currency: "eur" }],
    ] as const) {
      const found = recorded.find(({ params }) => Array.isArray(params) && params[0] === WALLET && params[1] === block);
      const { nativeTokenBalance } = await balances.getNative({ address: WALLET, ...query }, at());
      expect(nativeTokenBalance).toEqual({
        name: "Avalanche",
        symbol: "AVAX",
        decimals: 18,
        chainId: "760011",
        balance: BigInt(JSON.parse(found?.text ?? "")).toString(),
      });
    }
    await expect(balances.getNative({ address: WALLET, blockNumber: "30" }, at())).rejects.toBeInstanceOf(
      NotFoundError,
    );
  });

  it.each([760011, 760012])(
    "E6 returns the deployment of every contract of chain %i, in every currency",
    async (chainId) => {
      const { contracts } = createClient({ chainId: String(chainId) }).data.evm;
      const { evm_deployments } = factsOf(chainId);
      const last = new Map(evm_deployments.map(({ address, tx_hash }) => [String(address), tx_hash]));
      expect(last.size).toBeGreaterThan(70);
      const currencies = Object.values(CurrencyCode);
      for (const [index, [address, txHash]] of [...last].entries()) {
        const currency = currencies[index % currencies.length] as (typeof currencies)[number];
        const found = await contracts.getDeploymentTransaction({ address, currency }, at());
        expect(found.nativeTransaction.txHash).toBe(txHash);
      }
    },
  );

  it("E6 accepts NFTs of every status, and messages", async () => {
    const { contracts } = createClient().data.evm;
    const { erc721_transfers, erc1155_transfers, icm_events } = factsOf(760011);
    const address = `0x${"cd".repeat(20)}`;
    const rows = [...erc721_transfers, ...erc1155_transfers, ...icm_events];
    const statuses = new Set<string>();
    for (const txHash of new Set(rows.map(({ tx_hash }) => String(tx_hash)))) {
      // No recorded transaction creates a contract and moves NFTs or messages, so each is stored as the creator of this one.
      await alpha.pool.query(
        `INSERT INTO evm_deployments SELECT chain_id, decode($1, 'hex'), block_number, block_index, 0, tx_hash, from_address, 'CREATE'
         FROM evm_transactions WHERE chain_id = 760011 AND tx_hash = decode($2, 'hex')`,
        [address.slice(2), txHash.slice(2)],
      );
      const { erc721Transfers = [], erc1155Transfers = [] } = await contracts
        .getDeploymentTransaction({ address }, at())
        .finally(() =>
          alpha.pool.query("DELETE FROM evm_deployments WHERE address = decode($1, 'hex')", [address.slice(2)]),
        );
      const of = (some: readonly (typeof rows)[number][]) => some.filter(({ tx_hash }) => tx_hash === txHash).length;
      expect([erc721Transfers.length, erc1155Transfers.length]).toEqual([of(erc721_transfers), of(erc1155_transfers)]);
      for (const { erc721Token } of erc721Transfers) statuses.add(erc721Token.metadata.indexStatus);
    }
    expect(statuses).toContain("INDEXED");
    expect(statuses.size).toBeGreaterThan(3);
  });

  it("E6 throws a NotFoundError for an account", async () => {
    const { contracts } = createClient().data.evm;
    const refused = contracts.getDeploymentTransaction({ address: WALLET }, at());
    await expect(refused).rejects.toBeInstanceOf(NotFoundError);
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining("is not a contract") });
  });

  it("E10 lists every internal transaction of every address", async () => {
    const rows = listedInternals(factsOf(760011));
    const addresses = new Set(rows.flatMap(({ from_address, to_address }) => [from_address, to_address]));
    for (const address of addresses) {
      if (typeof address !== "string") continue;
      const { transactions } = createClient().data.evm.address;
      const pages = await collected(transactions.listInternal({ address, pageSize: 50 }, at()));
      const values = pages.flatMap(({ result }) => result.transactions).map(({ value }) => value);
      const own = rows.filter((row) => row["from_address"] === address || row["to_address"] === address);
      expect(values).toEqual(own.reverse().map(({ value }) => value));
    }
  });

  it.each([undefined, "mainnet", "fuji", "testnet"] as const)("E17 lists the chains of network %s", async (network) => {
    const { chains } = await createClient().data.evm.chains.list({ ...(network ? { network } : {}) }, at());
    expect(chains.map(({ chainId }) => chainId)).toEqual(network === "mainnet" ? [] : ["760011", "760012"]);
  });

  it("E17 lists the chains with a feature", async () => {
    const { chains } = await createClient().data.evm.chains.list({ network: "testnet", feature: "teleporter" }, at());
    expect(chains).toHaveLength(2);
  });

  it("E18 returns a chain by EVM chain id and by blockchain id", async () => {
    const one = await createClient().data.evm.chains.get({}, at());
    const same = await createClient({ chainId: oracle.chain.blockchainId }).data.evm.chains.get({}, at());
    expect(one).toMatchObject({ chainId: "760011", isTestnet: true, platformChainId: oracle.chain.blockchainId });
    expect(same).toEqual(one);
  });

  it.each(["/hosted", "/hosted/", "", "/"])("works with the base address ending in %j", async (prefix) => {
    const { chains } = await createClient().data.evm.chains.list({}, at(prefix));
    expect(chains).toHaveLength(2);
  });

  it("probes succeed", async () => {
    const { data, metrics } = createClient();
    for (const answer of [await data.healthCheck(at()), await data.liveCheck(at())])
      expect(answer).toMatchObject({ status: "ok" });
    for (const answer of [await metrics.healthCheck(at()), await metrics.liveCheck(at())])
      expect(answer).toMatchObject({ status: "ok" });
  });
});

describe("the error classes of the official client", () => {
  it("BadRequestError contains the message", async () => {
    const pages = collected(createClient().data.evm.blocks.listLatest({ pageSize: 101 }, at()));
    const error = await pages.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({
      statusCode: 400,
      message: "the page size must be from 1 to 100, got 101",
      data$: { message: "the page size must be from 1 to 100, got 101", statusCode: 400, error: "Bad Request" },
    });
  });

  it.each([{ pageSize: 0 }, { pageToken: "bb29d07a-2bcf-4cb4-a795-5fc6d25655d9" }])(
    "BadRequestError for %j",
    async (query) => {
      await expect(collected(createClient().data.evm.blocks.listLatest(query, at()))).rejects.toBeInstanceOf(
        BadRequestError,
      );
    },
  );

  it("BadRequestError for 1e21 as a block; an empty page token returns the first page", async () => {
    const transactions = createClient().data.evm.address.transactions;
    const wrong = transactions.listErc20({ address: WALLET, startBlock: 1e21 }, at());
    await expect(collected(wrong)).rejects.toBeInstanceOf(BadRequestError);
    const [page] = await collected(transactions.listErc20({ address: WALLET, pageToken: "" }, at()));
    expect(page?.result.transactions).toHaveLength(10);
  });

  it("NotFoundError for an unknown chain", async () => {
    const unknown = createClient({ chainId: "1" }).data.evm.chains.get({}, at());
    await expect(unknown).rejects.toBeInstanceOf(NotFoundError);
  });

  it("UnauthorizedError, ForbiddenError and TooManyRequestsError for keys", async () => {
    const apiKeys = [
      { key: "key-of-mainnet", networks: ["mainnet"] },
      { key: "small-key", computeUnitsPerMinute: 1 },
    ];
    await using keyed = await startStack({ database: alpha, config: alpha.config, settings: { apiKeys } });
    const get = (apiKey: string) => createClient({ apiKey }).data.evm.chains.get({}, at("/hosted", keyed));
    await expect(get("nobody's key")).rejects.toBeInstanceOf(UnauthorizedError);
    await expect(get("key-of-mainnet")).rejects.toBeInstanceOf(ForbiddenError);
    await expect(get("small-key")).resolves.toMatchObject({ chainId: "760011" });
    await expect(get("small-key")).rejects.toBeInstanceOf(TooManyRequestsError);
  });

  it("BadGatewayError and ServiceUnavailableError for failures behind the graph", async () => {
    await using garbage = await listen((_, response) => response.end("<html>"));
    const get = async (evmSubgraphUrl: string) => {
      await using broken = await startStack({ database: alpha, config: alpha.config, evmSubgraphUrl });
      return await createClient().data.evm.chains.get({}, at("/hosted", broken));
    };
    await expect(get(garbage.url)).rejects.toBeInstanceOf(BadGatewayError);
    await expect(get("http://127.0.0.1:1")).rejects.toBeInstanceOf(ServiceUnavailableError);
  });
});
