import { type Address, erc20Abi, type Hex, numberToHex } from "viem";
import { type Indexing, startIndexing } from "../support/indexed/indexing.ts";
import { coinMoves } from "../support/oracle/coin-moves.ts";
import { expectedFacts, FACT_TABLES, type Facts } from "../support/oracle/facts-oracle.ts";
import { difference, indexedFacts, indexedRows } from "../support/oracle/facts-rows.ts";
import type { NodeBlock } from "../support/recorded/node-chain.ts";
import { ACTIONS, PHOENIX, perform } from "./actions.ts";
import { ACCOUNTS, type Anvil, type Call, startAnvil } from "./anvil.ts";
import { CONTRACT_SETTINGS, callOf, DEPLOYED, deployContracts } from "./deployed-contracts.ts";
import { factTextsOf } from "./fact-texts.ts";

const CHAIN = 31_337;
/** The initial balance of each account of anvil. */
const GIFT = 10_000n * 10n ** 18n;
const ZERO = `0x${"0".repeat(40)}`;
/** The number that is passed to each action. */
const N = 5;

/** The actions, each in its own block, in this order, and the rows that each adds to the tables besides its transaction. */
const DONE: readonly (readonly [action: string, expected: readonly string[], call?: Call])[] = [
  ["create", ["CREATE factory > made1 5", "made made1 by factory"]],
  ["createWithoutValue", ["CREATE factory > made2 0", "made made2 by factory"]],
  ["create2", ["CREATE2 factory > salted 5", "made salted by factory"]],
  ["createByTransaction", ["made new by first"]],
  [
    "createWithinCreation",
    ["CREATE factory > made4 10", "CREATE made4 > child 5", "made made4 by factory", "made child by made4"],
  ],
  ["clone", ["CREATE factory > made5 4", "made made5 by factory"]],
  ["proxy", ["made new by first"]],
  ["createInVain", ["CREATE factory > null 3 reverted"]],
  ["createAndRevert", ["CREATE factory > made7 4 reverted"]],
  ["createWhereSomethingIs", ["CREATE2 factory > null 0 reverted"]],
  ["createByTransactionInVain", []],
  ["endOlder", ["CALL factory > box 5", "SELFDESTRUCT box > third 5"]],
  ["endAtOnce", ["CREATE2 factory > phoenix 5", "SELFDESTRUCT phoenix > second 5", "made phoenix by factory"]],
  ["endWhileCreated", ["CREATE factory > made8 5", "SELFDESTRUCT made8 > third 5"]],
  ["endWhileCreatedByTransaction", ["SELFDESTRUCT new > second 5"]],
  ["split", ["CALL splitter > second 5", "CALL splitter > third 5"]],
  ["splitByProxy", ["CALL proxy > second 5", "CALL proxy > third 5", "CALL proxy > caller 5"]],
  ["payProxy", []],
  ["pay", ["CALL caller > third 5"]],
  ["payAndRevert", ["CALL caller > third 5 reverted"]],
  ["tryToPay", ["CALL caller > caller 5 reverted", "CALL caller > third 5 reverted"]],
  ["tryToPayTooMuch", ["CALL caller > third 10007 reverted"]],
  ["payUnpayable", ["CALL caller > honest 5 reverted"]],
  ["lend", ["CALL caller > second 5", "CALL caller > third 5"]],
  ["look", []],
  ["borrow", ["CALLCODE caller > splitter 5"]],
  ["fail", []],
  ["mint", ["honest zero > third 5"]],
  ["transfer", ["honest first > second 5"]],
  ["transferToOneself", ["honest first > first 5"]],
  ["transferTooMuch", []],
  ["burn", ["honest first > zero 1"]],
  ["wrap", []],
  ["wrapByPayment", []],
  ["unwrap", ["CALL wrapped > first 5"]],
  ["transferWrapped", ["wrapped first > second 5"]],
  ["wrapUnknown", []],
  ["mintUnique", [`unique zero > second #${2n ** 255n + 5n}`]],
  ["transferUnique", ["unique second > third #5"]],
  ["burnUnique", ["unique third > zero #5"]],
  ["mintItem", ["items zero > first 100 #5"]],
  ["transferItems", ["items first > second 1 #5", "items first > second 2 #7", "items first > second 3 #6"]],
  ["transferItemsOfOneId", ["items first > third 1 #5", "items first > third 0 #5", "items first > third 1 #5"]],
  ["transferNoItems", []],
  ["burnItem", ["items first > zero 1 #5"]],
  ["sendMessage", ["SendCrossChainMessage at messenger", "SendWarpMessage at warp"]],
  ["receiveMessage", ["MessageExecuted at messenger", "ReceiveCrossChainMessage at messenger"]],
  ["receiveMessageInVain", ["MessageExecutionFailed at messenger", "ReceiveCrossChainMessage at messenger"]],
  ["sendStrangeMessage", []],
  ["warp", ["SendWarpMessage at warp"]],
  [
    "endAtOnceAgain",
    ["CREATE2 factory > phoenix 6", "SELFDESTRUCT phoenix > splitter 6", "made phoenix by factory"],
    callOf("factory", "makeAndEnd", [PHOENIX, DEPLOYED.splitter], 6n),
  ],
  [
    "createWhereSomethingEnded",
    ["CREATE2 factory > phoenix 7", "made phoenix by factory"],
    callOf("factory", "makeAt", [PHOENIX], 7n),
  ],
];

let anvil: Anvil;
let indexing: Indexing;
let facts: Facts;
/** The block of each action that was done. */
const blockOf = new Map<string, number>();

beforeAll(async () => {
  anvil = await startAnvil();
  await deployContracts(anvil);
  for (const [action, , call = ACTIONS[action]?.(N)] of DONE) {
    await anvil.send(call as Call);
    await anvil.mine();
    blockOf.set(action, Number((await anvil.client.getBlock()).number));
  }
  // Adds blocks of several transactions.
  await perform(anvil, 24);
  indexing = await startIndexing({ chainId: CHAIN, nodeUrl: anvil.url, chain: CONTRACT_SETTINGS });
  await indexing.untilHead((await anvil.client.getBlock()).hash);
  facts = await indexedFacts(indexing.database.pool, CHAIN);
});
afterAll(async () => {
  await indexing[Symbol.asyncDispose]();
  await anvil[Symbol.asyncDispose]();
});

/** Blocks, receipts and call trees of the whole chain. */
async function blocksOf({ client }: Anvil): Promise<NodeBlock[]> {
  const ask = <Result>(method: string, ...params: unknown[]) =>
    (client.request as (call: { method: string; params: unknown[] }) => Promise<Result>)({ method, params });
  const { number: height } = await client.getBlock();
  const numbers = Array.from({ length: Number(height) + 1 }, (_, number) => numberToHex(number));
  return Promise.all(
    numbers.map(async (number) => ({
      block: await ask<NodeBlock["block"]>("eth_getBlockByNumber", number, true),
      receipts: await ask<NodeBlock["receipts"]>("eth_getBlockReceipts", number),
      traces: await ask<NodeBlock["traces"]>("debug_traceBlockByNumber", number, { tracer: "callTracer" }),
    })),
  );
}

it("every action has the expected rows", () => {
  expect(Object.keys(ACTIONS).filter((action) => !blockOf.has(action))).toEqual([]);
  const found = DONE.map(([action]) => [action, factTextsOf(facts, blockOf.get(action) ?? -1)]);
  expect(found).toEqual(DONE.map(([action, expected]) => [action, expected]));
});

it("every row of every table equals that of an independent reader of the node's answers", async () => {
  const lower = (addresses: readonly Address[]) => addresses.map((address) => address.toLowerCase());
  const { teleporterMessengers, wrappedNativeTokens } = CONTRACT_SETTINGS;
  const contracts = { messengers: lower(teleporterMessengers), wrappedNativeTokens: lower(wrappedNativeTokens) };
  const expected = expectedFacts({ chainId: CHAIN, ...contracts }, await blocksOf(anvil));
  const none = { missing: [], extra: [] };
  expect(FACT_TABLES.map((table) => [table, difference(expected[table], facts[table])])).toEqual(
    FACT_TABLES.map((table) => [table, none]),
  );
  expect(FACT_TABLES.filter((table) => facts[table].length === 0)).toEqual(["evm_proxy_upgrades", "evm_ext_data"]);
});

it("deployed contracts have code, and other created addresses do not", async () => {
  const hasCode = async (address: string) =>
    ((await anvil.client.getCode({ address: address as Address })) ?? "0x") !== "0x";
  const deployed = new Set(facts.evm_deployments.map(({ address }) => address ?? ""));
  const created = [
    ...facts.evm_internal_transactions
      .filter(({ opcode }) => opcode?.startsWith("CREATE"))
      .map((row) => row["to_address"]),
    ...facts.evm_transactions.map((row) => row["contract_address"]),
  ];
  const others = new Set(created.filter((address) => typeof address === "string" && !deployed.has(address)));
  expect(deployed.size).toBeGreaterThan(30);
  expect(others.size).toBeGreaterThan(5);
  for (const address of deployed) expect([address, await hasCode(address)]).toEqual([address, true]);
  for (const address of others) expect([address, await hasCode(address as string)]).toEqual([address, false]);
});

it("the last balances equal balanceOf for every holder", async () => {
  const last = new Map<string, bigint>();
  const rows = facts.erc20_balances.toSorted((a, b) => Number(a["block_number"]) - Number(b["block_number"]));
  for (const row of rows) last.set(`${row["token_address"]} ${row["address"]}`, BigInt(row["balance"] ?? 0));
  const asked = new Map<string, bigint>();
  for (const key of last.keys()) {
    const [address, holder] = key.split(" ") as [Hex, Hex];
    asked.set(
      key,
      await anvil.client.readContract({ address, abi: erc20Abi, functionName: "balanceOf", args: [holder] }),
    );
  }
  expect(last).toEqual(asked);
  const tokens = new Set(facts.erc20_balances.map((row) => row["token_address"]));
  expect(tokens).toEqual(new Set([DEPLOYED.honest.toLowerCase(), DEPLOYED.wrapped.toLowerCase()]));
  expect(last.size).toBe(5);
});

it("the node's balance of every account follows from values, calls and fees", async () => {
  const rows = (table: string) => indexedRows(indexing.database.pool, table, CHAIN);
  const held = new Map(ACCOUNTS.map((account) => [account.toLowerCase(), GIFT]));
  const { evm_transactions, evm_internal_transactions, evm_ext_data } = facts;
  const moves = coinMoves({
    evm_transactions,
    evm_internal_transactions,
    evm_ext_data,
    evm_blocks: await rows("evm_blocks"),
  });
  for (const { address, amount } of moves) held.set(address, (held.get(address) ?? 0n) + amount);
  // The miner receives the tips; anvil burns the rest of the fees.
  held.delete(ZERO);
  const asked = new Map<string, bigint>();
  for (const address of held.keys()) asked.set(address, await anvil.client.getBalance({ address: address as Address }));
  expect(held).toEqual(asked);
  expect(held.size).toBeGreaterThan(40);
});
