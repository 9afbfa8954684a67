import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  parseEventLogs,
  stringToHex,
} from "viem";
import { type Indexing, startIndexing, until } from "../support/indexed/indexing.ts";
import { FAULTS } from "../support/node/faults.ts";
import { startFaultyNode } from "../support/node/faulty-node.ts";
import { ACCOUNTS, type Anvil, startAnvil } from "./anvil.ts";
import { compileContracts } from "./contracts.ts";

const CHAIN = 31_337;
const contracts = compileContracts("tokens.sol");
const [, SECOND] = ACCOUNTS as [Address, Address];

const word = (value: bigint): Hex => encodeAbiParameters([{ type: "uint256" }], [value]);
const text = (value: Hex): Hex => encodeAbiParameters([{ type: "bytes" }], [value]);
const bytes32 = (value: string): Hex => stringToHex(value, { size: 32 });
const ascii = (value: string): Hex => text(stringToHex(value));
const DECIMALS = word(18n);

/** Answers of contracts to name(), symbol() and decimals(), and the expected metadata. */
const ANSWERS: readonly (readonly [
  what: string,
  contract: string,
  args: readonly unknown[],
  expected: readonly [name: string, symbol: string, decimals: string],
])[] = [
  ["an ordinary token", "Plain", ["Glacier Coin", "GLC", 6], ["Glacier Coin", "GLC", "6"]],
  ["bytes32 instead of strings", "Verbatim", [bytes32("Maker"), bytes32("MKR"), DECIMALS], ["Maker", "MKR", "18"]],
  ["36 decimals", "Plain", ["Fine", "FIN", 36], ["Fine", "FIN", "36"]],
  ["255 decimals", "Plain", ["Finest", "FST", 255], ["Finest", "FST", "255"]],
  ["300 decimals, more than there are", "Verbatim", [ascii("Over"), ascii("OVR"), word(300n)], ["Over", "OVR", "0"]],
  ["2^256-1 decimals", "Verbatim", [ascii("Max"), ascii("MAX"), word(2n ** 256n - 1n)], ["Max", "MAX", "0"]],
  ["refusals of every sort", "Refusing", [], ["", "", "0"]],
  ["empty strings", "Plain", ["", "", 0], ["", "", "0"]],
  ["nothing at all", "Verbatim", ["0x", "0x", "0x"], ["", "", "0"]],
  ["a megabyte of name", "Huge", [], ["ABCDEFGHIJKLMNOPQRSTUVWXYZ012345".repeat(8), "HUGE", "18"]],
  ["a name that never comes", "Endless", [], ["", "LOOP", "2"]],
  ["control characters", "Plain", ["\u0000Ta\u0007b\tNew\nLine\u009f", "\r\nCTL", 1], ["TabNewLine", "CTL", "1"]],
  ["bidi marks", "Plain", ["\u202eCDSU\u202c \u2066x\u2069\u061c\u200f", "\u200eUSDC", 6], ["CDSU x", "USDC", "6"]],
  ["other scripts and emoji", "Plain", ["Грош 雪崩 🏔️", "❄", 9], ["Грош 雪崩 🏔️", "❄", "9"]],
  ["what is no UTF-8", "Verbatim", [text("0x41ff42c3"), text("0xfe"), DECIMALS], ["A\ufffdB\ufffd", "\ufffd", "18"]],
  [
    "a string that ends before its length",
    "Verbatim",
    [`${word(32n)}${word(64n).slice(2)}4142`, "0x", "0x"],
    ["AB", "", "0"],
  ],
  ["an offset out of this world", "Verbatim", [`${word(2n ** 255n)}${word(4n).slice(2)}`, "0x", "0x"], ["", "", "0"]],
];

const transferOf = (contract: string): Hex =>
  encodeFunctionData({ abi: contracts[contract]?.abi as Abi, functionName: "transfer", args: [SECOND, 7n] });

async function transferring(anvil: Anvil, contract: string, args: readonly unknown[] = []): Promise<Address> {
  const to = await anvil.deploy(contracts[contract], args);
  await anvil.send({ to, data: transferOf(contract) });
  await anvil.mine();
  return to;
}

const metadata = async (indexing: Indexing) =>
  new Map(
    (await indexing.tables()).erc20_tokens.map(({ address, name, symbol, decimals, metadata_status }) => [
      `0x${address?.slice(2)}`,
      [name, symbol, decimals, metadata_status],
    ]),
  );

describe("tokens", () => {
  it.concurrent("are indexed for any answers of their contracts", async () => {
    await using anvil = await startAnvil();
    const addresses: Address[] = [];
    for (const [, contract, args] of ANSWERS) addresses.push(await transferring(anvil, contract, args));
    await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: anvil.url });
    await indexing.untilHead((await anvil.client.getBlock()).hash);
    const got = await metadata(indexing);
    const seen = addresses.map((address, i) => [ANSWERS[i]?.[0], ...(got.get(address.toLowerCase()) ?? [])]);
    expect(seen).toEqual(ANSWERS.map(([what, , , expected]) => [what, ...expected, "INDEXED"]));
  });

  it.concurrent("are contracts with events of three topics and one word, and viem decodes the same transfers", async () => {
    await using anvil = await startAnvil();
    const token = await transferring(anvil, "Plain", ["Token", "TKN", 18]);
    for (const contract of ["Silent", "Unique", "OddData"]) await transferring(anvil, contract);
    await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: anvil.url });
    await indexing.untilHead((await anvil.client.getBlock()).hash);
    const logs = await anvil.client.getLogs({ fromBlock: 0n, toBlock: "latest" });
    const transfers = parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs }).filter(
      ({ data }) => data.length === 66,
    );
    const tables = await indexing.tables();
    expect(tables.evm_logs).toHaveLength(logs.length);
    expect(tables.evm_logs.length).toBe(5);
    expect(tables.erc20_transfers.map(({ tx_hash, value }) => [tx_hash?.slice(2), value])).toEqual(
      transfers.map(({ transactionHash, args }) => [transactionHash.slice(2), String(args.value)]),
    );
    expect([...(await metadata(indexing)).keys()]).toEqual([token.toLowerCase()]);
  });

  it.concurrent("are not read from a node that is behind the token's first block", async () => {
    await using anvil = await startAnvil();
    await anvil.mine(3);
    await using node = await startFaultyNode({ upstream: anvil.url });
    await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: node.url });
    await indexing.untilState("FOLLOWING");
    // Calls fail, so the token is indexed before its contract can be read.
    node.faults.wrongAnswers = [FAULTS.methodMissing("eth_call")];
    const token = await transferring(anvil, "Plain", ["Late", "LATE", 18]);
    await until(
      () => metadata(indexing),
      (known) => known.size === 1,
      "the token",
    );
    node.faults.wrongAnswers = [FAULTS.frozenHead(3, "null")];
    await indexing.untilState("WAITING", /is behind/);
    // PENDING, or UNAVAILABLE if a call has failed before: both are read again later.
    const notRead = ["", "", "0", expect.stringMatching(/^(PENDING|UNAVAILABLE)$/)];
    expect((await metadata(indexing)).get(token.toLowerCase())).toEqual(notRead);
    await node.heal();
    await indexing.untilHead((await anvil.client.getBlock()).hash);
    const read = await until(
      async () => (await metadata(indexing)).get(token.toLowerCase()),
      (values) => values?.[3] === "INDEXED",
      "the values of the token",
    );
    expect(read).toEqual(["Late", "LATE", "18", "INDEXED"]);
  });
});
