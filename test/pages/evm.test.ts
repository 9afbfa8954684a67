import { decodeFunctionData, erc20Abi, getAddress, type Hex, pad, parseEventLogs, type RpcLog } from "viem";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { expectedActivity } from "../support/oracle/activity-oracle.ts";
import type { FactRow } from "../support/oracle/fact-row.ts";
import { expectedMessages } from "../support/oracle/facts-messages.ts";
import { createOracle } from "../support/oracle/oracle.ts";
import type { NodeLog } from "../support/recorded/node-chain.ts";
import { readSnapshots, type Snapshot } from "../support/recorded/primary-recording.ts";
import {
  at,
  type ChainFacts,
  columnOf,
  evmFacts,
  involves,
  listAt,
  most,
  newestFirst,
  type ServedPages,
  servePages,
} from "./page.ts";

const [C, L1] = evmFacts();
const CHAINS = [C, L1];
const recording = openRecording(ALPHA);
const SNAPSHOT = readSnapshots(ALPHA).at(-1) as Snapshot;
const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const OWNER = "custom1pzfl27lghwuy3hmlmyxqw4uz3dmq5gr0ufw3ka";
const TOKEN = "0xf9bfb6ee4c65e51ccac3b9e13fd879c11be9e430";
const ITEMS = most(C.facts.erc1155_transfers, "token_address");
const DEEDS = most(C.facts.erc721_transfers, "token_address");
const TRANSFER_METHOD = "0xa9059cbb";
/** The height, besides the last, of which the recording has balances. */
const PAST = 117;

let pages: ServedPages;
beforeAll(async () => {
  pages = await servePages();
});
afterAll(() => pages[Symbol.asyncDispose]());

/** The answer of the node to `eth_call`, as a number. */
function called({ chain: { recorded } }: ChainFacts, to: string, data: string): string {
  const answer = recording.answer(recorded.rpcPath, "eth_call", [{ to, data }, "latest"]);
  return BigInt(JSON.parse(answer?.text ?? "null") as string).toString();
}

/** What the node returned to `eth_getBalance`. */
const balanceOf = ({ state }: ChainFacts, address: string, height: number): string =>
  String(state.balances.find((one) => one.address === address && one.height === height)?.amount);

/** What the node returned to `balanceOf` of a token. */
const tokenBalanceOf = ({ state }: ChainFacts, token: string, address: string, height: number, tokenId?: string) =>
  String(
    state.tokenBalances.find(
      (one) =>
        one.token === token && one.address === address && one.height === height && one.tokenId === (tokenId ?? null),
    )?.amount,
  );

const rowsOfAll = (table: "evm_transactions" | "erc20_transfers" | "erc721_transfers" | "erc1155_transfers") =>
  CHAINS.flatMap(({ facts }) => facts[table]);
const descending = (values: readonly (string | null | undefined)[]): string[] =>
  values.map(String).sort((one, other) => (BigInt(one) < BigInt(other) ? 1 : -1));
const feeOf = ({ gas_used, gas_price }: FactRow): string => String(BigInt(gas_used ?? 0) * BigInt(gas_price ?? 0));
const sum = (values: readonly (string | undefined)[]): string =>
  String(values.reduce((total, value) => total + BigInt(value ?? 0), 0n));
/** The last state of a token's supply and holders, up to a block. */
const supplyOf = (rows: readonly FactRow[], token: string, block: number) =>
  rows.filter((row) => row["token_address"] === token && Number(row["block_number"]) <= block).at(-1);

it("01-wallet-portfolio has the node's balances, and the history of all chains in the order of time", async () => {
  const data = await pages.ask("01-wallet-portfolio", { address: WALLET, network: "FUJI", primaryAddress: OWNER });
  const balances = listAt(data, "evmAccount.addresses");
  expect(balances.map((one) => at(one, "chain.chainId"))).toEqual(CHAINS.map(({ id }) => id));
  expect(at(balances[0], "nativeBalance.balance")).toBe(balanceOf(C, WALLET, C.head));
  const tokens = listAt(balances[0], "erc20Balances.nodes").map((one) => [
    at(one, "token.address"),
    at(one, "balance"),
  ]);
  const standard = tokens.filter(([token]) => C.chain.contractKinds.get(token as string) === "erc20");
  expect(standard.length).toBeGreaterThan(2);
  expect(standard).toEqual(standard.map(([token]) => [token, tokenBalanceOf(C, token as string, WALLET, C.head)]));
  const history = (list: string) => at(data, `evmAccount.${list}.nodes.*.txHash`);
  const expected = (rows: readonly FactRow[], ...order: string[]) =>
    columnOf(newestFirst(rows.filter(involves(WALLET)), ...order), "tx_hash");
  expect(history("transactions")).toEqual(expected(rowsOfAll("evm_transactions"), "block_index"));
  expect(history("erc20Transfers")).toEqual(expected(rowsOfAll("erc20_transfers"), "log_index"));
  expect(history("erc721Transfers")).toEqual(expected(rowsOfAll("erc721_transfers"), "log_index"));
  expect(history("erc1155Transfers")).toEqual(expected(rowsOfAll("erc1155_transfers"), "log_index", "batch_index"));
  const ofOwner = SNAPSHOT.answers("platform.getBalance").find(({ params }) =>
    String(params["addresses"]).endsWith(OWNER),
  );
  const balance = ofOwner?.result as { readonly unlocked: string };
  expect(at(data, "primaryNetworkAddress.pChain.balances.unlockedUnstaked.*.amount")).toEqual([balance.unlocked]);
});

it("02-token has the supply, balances, holders and transfers that follow from the node's answers", async () => {
  const variables = { chainId: C.id, address: TOKEN, holder: WALLET, at: { block: String(PAST) } };
  const { erc20Token } = (await pages.ask("02-token", variables)) as { erc20Token: unknown };
  expect(erc20Token).toMatchObject({
    ...createOracle(recording, 760011).token(TOKEN),
    totalSupply: called(C, TOKEN, "0x18160ddd"),
    balance: tokenBalanceOf(C, TOKEN, WALLET, C.head),
    balanceAt: tokenBalanceOf(C, TOKEN, WALLET, PAST),
    holderCountAt: supplyOf(C.holdings.erc20_supplies, TOKEN, PAST)?.["holder_count"],
    supplyAt: supplyOf(C.holdings.erc20_supplies, TOKEN, PAST)?.["total_supply"],
  });
  const held = C.holdings.erc20_holders.filter(
    (row) => row["token_address"] === TOKEN && BigInt(row["balance"] ?? 0) > 0n,
  );
  expect(at(erc20Token, "holderCount")).toBe(String(held.length));
  expect(at(erc20Token, "holders.nodes.*.balance")).toEqual(descending(columnOf(held, "balance", 99)).slice(0, 10));
  const transfers = C.facts.erc20_transfers.filter((row) => row["token_address"] === TOKEN);
  expect(at(erc20Token, "transferCount")).toBe(String(transfers.length));
  expect(at(erc20Token, "transfers.nodes.*.value")).toEqual(columnOf(newestFirst(transfers, "log_index"), "value"));
  const ofHolder = transfers.filter(involves(WALLET));
  expect(ofHolder.length).toBeGreaterThan(1);
  expect(ofHolder.length).toBeLessThan(transfers.length);
  expect(at(erc20Token, "holderTransfers.nodes.*.value")).toEqual(
    columnOf(newestFirst(ofHolder, "log_index"), "value"),
  );
  expect(at(erc20Token, "holderTransfers.totalCount.count")).toBe(String(ofHolder.length));
  const deployment = C.facts.evm_deployments.find(({ address }) => address === TOKEN);
  expect(at(erc20Token, "evmAddress.contract.deployment.creator")).toBe(deployment?.["creator_address"]);
});

it("03-token-lists has all tokens by holders, all collections by transfers, all accounts by transactions, and the newest contracts", async () => {
  const variables = { chainId: C.id, tokenOrder: { field: "HOLDERS" }, collectionOrder: { field: "TRANSFERS" } };
  const { chain } = (await pages.ask("03-token-lists", variables)) as { chain: unknown };
  const { erc20_counts, nft_counts } = C.holdings;
  expect(at(chain, "erc20Tokens.nodes.*.holderCount")).toEqual(
    descending(columnOf(erc20_counts, "holder_count", 99)).slice(0, 10),
  );
  expect(at(chain, "nftCollections.nodes.*.transferCount")).toEqual(
    descending(columnOf(nft_counts, "transfer_count", 99)).slice(0, 10),
  );
  expect(at(chain, "erc20Tokens.totalCount.count")).toBe(String(C.facts.erc20_tokens.length));
  expect(at(chain, "nftCollections.totalCount.count")).toBe(String(C.facts.nft_contracts.length));
  const deployed = newestFirst(C.facts.evm_deployments, "block_index", "trace_index");
  expect(at(chain, "contracts.nodes.*.address")).toEqual([...new Set(columnOf(deployed, "address", 99))].slice(0, 10));
  const accounts = expectedActivity(C.chain, C.chain.blocks, C.facts).evm_addresses;
  const byTransactions = accounts.toSorted(
    (one, other) =>
      Number(other["transaction_count"]) - Number(one["transaction_count"]) ||
      (String(one["address"]) < String(other["address"]) ? 1 : -1),
  );
  const shown = listAt(chain, "accounts.nodes").map((one) => [
    at(one, "address"),
    at(one, "transactionCount"),
    at(one, "firstSeen.blockNumber"),
    at(one, "lastSeen.blockNumber"),
  ]);
  expect(shown).toEqual(
    byTransactions
      .slice(0, 10)
      .map((row) => [row["address"], row["transaction_count"], row["first_block_number"], row["last_block_number"]]),
  );
  expect(at(chain, "accounts.totalCount")).toEqual({ count: String(accounts.length), isExact: true });
});

it("04-nft-collection has the holders, the owners that the contract returns, and the transfers", async () => {
  const { nftCollection } = (await pages.ask("04-nft-collection", { chainId: C.id, address: DEEDS })) as {
    nftCollection: unknown;
  };
  const count = C.holdings.nft_counts.find((row) => row["token_address"] === DEEDS);
  expect(nftCollection).toMatchObject({
    holderCount: count?.["holder_count"],
    transferCount: count?.["transfer_count"],
    totalSupply: supplyOf(C.holdings.nft_supplies, DEEDS, C.head)?.["total_supply"],
  });
  const tokens = listAt(nftCollection, "tokens.nodes");
  expect(tokens).toHaveLength(10);
  for (const token of tokens) {
    const owner = C.state.owners.find((one) => one.token === DEEDS && one.tokenId === at(token, "tokenId"))?.owner;
    expect([at(token, "tokenId"), at(token, "erc721Token.ownerAddress")]).toEqual([at(token, "tokenId"), owner]);
  }
  const held = C.holdings.nft_holders.filter(
    (row) => row["token_address"] === DEEDS && BigInt(row["balance"] ?? 0) > 0n,
  );
  expect(at(nftCollection, "holders.nodes.*.balance")).toEqual(descending(columnOf(held, "balance", 99)).slice(0, 10));
  const transfers = C.facts.erc721_transfers.filter((row) => row["token_address"] === DEEDS);
  expect(at(nftCollection, "erc721Transfers.nodes.*.txHash")).toEqual(
    columnOf(newestFirst(transfers, "log_index"), "tx_hash"),
  );
});

it("05-nft-item has the owner of the one token, and the holders and supply of the other", async () => {
  const data = await pages.ask("05-nft-item", {
    chainId: C.id,
    erc721Address: DEEDS,
    erc721TokenId: "2",
    erc1155Address: ITEMS,
    erc1155TokenId: "1",
    at: { block: String(PAST) },
  });
  const owned = C.state.owners.find(({ token, tokenId }) => token === DEEDS && tokenId === "2");
  expect(at(data, "erc721Token.ownerAddress")).toBe(owned?.owner);
  const moved = C.facts.erc721_transfers.filter((row) => row["token_address"] === DEEDS && row["token_id"] === "2");
  const before = moved.filter((row) => Number(row["block_number"]) <= PAST);
  for (const field of ["ownerAddressAt", "ownerAt.address"])
    expect(at(data, `erc721Token.${field}`)).toBe(before.at(-1)?.["to_address"]);
  expect(at(data, "erc721Token.transfers.totalCount.count")).toBe(String(moved.length));
  const holders = listAt(data, "erc1155Token.holders.nodes").map((one) => [at(one, "address"), at(one, "balance")]);
  expect(holders.length).toBeGreaterThan(2);
  expect(holders).toEqual(
    holders.map(([address]) => [address, tokenBalanceOf(C, ITEMS, address as string, C.head, "1")]),
  );
  const isItem = (row: FactRow) => row["token_address"] === ITEMS && row["token_id"] === "1";
  const counts = C.holdings.erc1155_supplies.findLast(isItem);
  expect(at(data, "erc1155Token")).toMatchObject({
    holderCount: counts?.["holder_count"],
    totalSupply: counts?.["total_supply"],
  });
  const transfers = C.facts.erc1155_transfers.filter(isItem);
  expect(at(data, "erc1155Token.transfers.totalCount.count")).toBe(String(transfers.length));
  expect(at(data, "erc1155Token.transfers.nodes.*.value")).toEqual(
    columnOf(newestFirst(transfers, "log_index", "batch_index"), "value"),
  );
});

describe("07-evm-transaction", () => {
  const ask = async (row: FactRow | undefined) =>
    (
      (await pages.ask("07-evm-transaction", { chainId: C.id, txHash: row?.["tx_hash"] })) as {
        evmTransaction: unknown;
      }
    ).evmTransaction;
  const isOf = (row: FactRow) => (other: FactRow) =>
    other["block_number"] === row["block_number"] && other["block_index"] === row["block_index"];

  it("has the fee and the output of a failed call", async () => {
    const failure = C.facts.evm_failures.find(({ output }) => (output?.length ?? 0) > 10) as FactRow;
    const row = C.facts.evm_transactions.find(isOf(failure)) as FactRow;
    expect(await ask(row)).toMatchObject({
      txStatus: "FAILED",
      fee: feeOf(row),
      gasUsed: row["gas_used"],
      revertReason: { error: failure["error"], output: failure["output"] },
    });
  });

  it("has the decoded call and log of a token transfer", async () => {
    const row = C.facts.evm_transactions.find(
      ({ input, log_count }) => input?.startsWith(TRANSFER_METHOD) && log_count === "1",
    ) as FactRow;
    const { args } = decodeFunctionData({ abi: erc20Abi, data: row["input"] as Hex });
    const [to, value] = args as [string, bigint];
    const transaction = await ask(row);
    expect(transaction).toMatchObject({
      txStatus: "SUCCESS",
      fee: feeOf(row),
      decodedInput: { name: "transfer", parameters: [{ value: getAddress(to) }, { value: value.toString() }] },
    });
    expect(at(transaction, "logs.nodes.*.decoded.name")).toEqual(["Transfer"]);
    expect(at(transaction, "erc20Transfers.nodes.*.value")).toEqual(
      columnOf(C.facts.erc20_transfers.filter(isOf(row)), "value"),
    );
  });

  it("has the inner calls of the node's call tree", async () => {
    const calls = C.facts.evm_internal_transactions.filter(({ internal_tx_type }) => internal_tx_type !== "UNKNOWN");
    const txHash = most(calls, "tx_hash");
    const inner = calls.filter(({ tx_hash }) => tx_hash === txHash);
    const transaction = await ask(inner[0]);
    expect(inner.length).toBeGreaterThan(1);
    expect(at(transaction, "internalTransactions.nodes.*.opcode")).toEqual(columnOf(inner, "opcode", 20));
    expect(at(transaction, "internalTransactions.nodes.*.value")).toEqual(columnOf(inner, "value", 20));
  });
});

it("08-evm-block has the transactions of the node's block and their fees", async () => {
  const number = Number(most(C.facts.evm_transactions, "block_number"));
  const block = C.chain.blocks[number]?.block;
  const { evmBlock } = (await pages.ask("08-evm-block", {
    chainId: C.id,
    network: "FUJI",
    blockNumber: String(number),
  })) as { evmBlock: unknown };
  const rows = C.facts.evm_transactions.filter((row) => row["block_number"] === String(number));
  expect(evmBlock).toMatchObject({
    blockHash: block?.hash,
    txCount: block?.transactions.length,
    feesSpent: sum(rows.map(feeOf)),
    parent: { blockNumber: String(number - 1) },
  });
  const listed = listAt(evmBlock, "transactions.nodes").map((one) => [at(one, "txHash"), at(one, "fee")]);
  const expected = new Map(rows.map((row) => [row["tx_hash"], feeOf(row)]));
  expect(listed).toHaveLength(25);
  expect(listed).toEqual(listed.map(([hash]) => [hash, expected.get(hash as string)]));
  expect(new Set(listed.map(([hash]) => hash))).toHaveProperty("size", 25);
});

describe("09-address", () => {
  const variables = { chainId: C.id, method: TRANSFER_METHOD, at: { block: String(PAST) } };

  it("has what an account sent, its balances now and in the past, and who funded it", async () => {
    const filter = { direction: "SENT" };
    const data = await pages.ask("09-address", { ...variables, address: WALLET, filter, transferFilter: filter });
    const { address } = data as { address: unknown };
    expect(address).toMatchObject({
      isContract: false,
      nativeBalance: { balance: balanceOf(C, WALLET, C.head) },
      nativeBalanceAt: { balance: balanceOf(C, WALLET, PAST) },
    });
    const all = newestFirst(C.facts.evm_transactions.filter(involves(WALLET)), "block_index");
    const isSent = (row: FactRow) => row["from_address"] === WALLET;
    expect(at(address, "transactions.nodes.*.txHash")).toEqual(columnOf(all.filter(isSent), "tx_hash"));
    expect(at(address, "transactions.totalCount.count")).toBe(String(all.filter(isSent).length));
    const funded = all.filter((row) => row["to_address"] === WALLET).at(-1);
    expect(at(address, "fundedBy.nodes.*.txHash")).toEqual([funded?.["tx_hash"]]);
    const transfers = newestFirst(C.facts.erc20_transfers.filter(isSent), "log_index");
    expect(at(address, "erc20Transfers.nodes.*.value")).toEqual(columnOf(transfers, "value"));
  });

  it("has the calls of one method of a contract, those that an account sent, and those that failed", async () => {
    const calls = C.facts.evm_transactions.filter(({ input }) => input?.startsWith(TRANSFER_METHOD));
    const contract = most(calls, "to_address");
    const ofContract = newestFirst(
      calls.filter((row) => row["to_address"] === contract),
      "block_index",
    );
    const called = at(await pages.ask("09-address", { ...variables, address: contract }), "address");
    expect(at(called, "methodCalls.nodes.*.txHash")).toEqual(columnOf(ofContract, "tx_hash"));
    const sender = most(calls, "from_address");
    const sent = newestFirst(
      calls.filter((row) => row["from_address"] === sender),
      "block_index",
    );
    const callFilter = { direction: "SENT" };
    const caller = at(await pages.ask("09-address", { ...variables, address: sender, callFilter }), "address");
    expect(at(caller, "methodCalls.nodes.*.txHash")).toEqual(columnOf(sent, "tx_hash").slice(0, 10));
    const failing = C.facts.evm_transactions.filter(({ tx_status }) => tx_status === "0");
    const mostFailed = most(failing, "to_address");
    const filter = { status: "FAILED" };
    const failed = await pages.ask("09-address", { ...variables, address: mostFailed, filter });
    const expected = newestFirst(failing.filter(involves(mostFailed)), "block_index");
    expect(at(failed, "address.transactions.nodes.*.txHash")).toEqual(columnOf(expected, "tx_hash"));
  });
});

it("10-logs has the logs of a contract by topic and block, decoded", async () => {
  const isTransfer = ({ address, topics }: { address: string; topics: readonly string[] }) =>
    address === TOKEN && topics[0] === TRANSFER_TOPIC;
  const logs = C.chain.blocks.flatMap(({ receipts }, block) =>
    receipts.flatMap((receipt) => receipt.logs.filter(isTransfer).map((log) => ({ block, log }))),
  );
  const fromBlock = logs[1]?.block ?? 0;
  const expected = logs
    .filter(({ block }) => block >= fromBlock)
    .map(({ block, log }) => {
      const args = transferIn(log);
      return {
        args,
        row: [String(block), Number(log.logIndex), log.data, [args.from, args.to, args.value.toString()]],
      };
    })
    .reverse();
  const filter = { address: TOKEN, topic0: TRANSFER_TOPIC, fromBlock: String(fromBlock) };
  const data = await pages.ask("10-logs", { chainId: C.id, filter });
  const found = listAt(data, "evmLogs.nodes") as readonly Record<string, unknown>[];
  expect(found.length).toBeGreaterThan(5);
  expect(at(data, "evmLogs.totalCount.count")).toBe(String(expected.length));
  expect(
    found.map((log) => [
      log["blockNumber"],
      log["logIndex"],
      log["data"],
      (log["decoded"] as { parameters: { value: unknown }[] }).parameters.map(({ value }) => value),
    ]),
  ).toEqual(expected.slice(0, 25).map(({ row }) => row));

  const recipient = expected.at(-1)?.args.to ?? "0x";
  const received = expected.filter(({ args }) => args.to === recipient);
  const argument = { topic0: TRANSFER_TOPIC, topic: "TOPIC2", value: pad(recipient) };
  const ofRecipient = await pages.ask("10-logs", {
    chainId: C.id,
    filter: { ...filter, indexedArgument: argument },
  });
  expect(at(ofRecipient, "evmLogs.nodes.*.logIndex")).toEqual(received.slice(0, 25).map(({ row }) => row[1]));
  expect(at(ofRecipient, "evmLogs.totalCount.count")).toBe(String(received.length));
});

/** The arguments of a log of a transfer, decoded by viem. */
function transferIn(log: NodeLog) {
  const [found] = parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs: [log as unknown as RpcLog] });
  if (!found) throw new Error(`no transfer: ${log.data}`);
  return found.args;
}

const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

it("11-contract has the deployment of a proxy, its last implementation and its calls", async () => {
  const upgrade = C.facts.evm_proxy_upgrades.at(-1);
  const proxy = upgrade?.["address"] ?? "";
  const { contract } = (await pages.ask("11-contract", { chainId: C.id, address: proxy })) as { contract: unknown };
  const deployment = C.facts.evm_deployments.find(({ address }) => address === proxy);
  expect(at(contract, "deployment.creator")).toBe(deployment?.["creator_address"]);
  expect(at(contract, "deployment.txHash")).toBe(deployment?.["tx_hash"]);
  expect(at(contract, "implementation.address")).toBe(upgrade?.["implementation_address"]);
  expect(at(contract, "erc20Token.totalSupply")).toBe(called(C, proxy, "0x18160ddd"));
  const calls = newestFirst(C.facts.evm_transactions.filter(involves(proxy)), "block_index");
  expect(at(contract, "evmAddress.transactions.nodes.*.txHash")).toEqual(
    expect.arrayContaining(columnOf(calls, "tx_hash")),
  );
  const logs = C.chain.blocks
    .flatMap(({ receipts }) => receipts.flatMap((one) => one.logs))
    .filter(({ address }) => address === proxy);
  expect(at(contract, "logs.nodes.*.topic0")).toEqual(
    logs
      .reverse()
      .map(({ topics }) => topics[0])
      .slice(0, 10),
  );
});

describe("18-interchain-messages", () => {
  const messages = expectedMessages(CHAINS.flatMap(({ facts }) => facts.icm_events));

  it.each(["EXECUTED", "SENT", "FAILED"])("has the messages of the recorded events that are %s", async (state) => {
    const expected = messages.filter((message) => message["state"] === state);
    const [one] = expected;
    const variables = { filter: { states: [state], chains: CHAINS.map(({ id }) => id) }, first: 50 };
    const data = await pages.ask("18-interchain-messages", { ...variables, messageId: one?.["message_id"] });
    expect(at(data, "icmMessages.totalCount.count")).toBe(String(expected.length));
    const times = expected.map((message) => Number(message["message_timestamp"])).sort((a, b) => b - a);
    const nodes = listAt(data, "icmMessages.nodes");
    expect(nodes.map((node) => at(node, "sentTimestamp") ?? at(node, "receivedTimestamp"))).toEqual(times);
    expect(new Set(nodes.map((node) => at(node, "messageId")))).toEqual(
      new Set(expected.map((message) => message["message_id"])),
    );
    const timeOf = (name: string) => (one?.[name] ? Number(one[name]) : null);
    expect(at(data, "icmMessage.originSender")).toBe(one?.["origin_sender_address"]);
    expect(at(data, "icmMessage.destinationAddress")).toBe(one?.["destination_address"]);
    expect(at(data, "icmMessage")).toMatchObject({
      state,
      sentTimestamp: timeOf("sent_timestamp"),
      receivedTimestamp: timeOf("received_timestamp"),
      executedTimestamp: timeOf("executed_timestamp"),
      failedTimestamp: timeOf("failed_timestamp"),
      feeAmount: one?.["fee_amount"],
    });
  });
});
