import { type Address, getContractAddress, getCreate2Address } from "viem";
import type { FactRow } from "../support/oracle/fact-row.ts";
import type { Facts, FactTable } from "../support/oracle/facts-oracle.ts";
import { PHOENIX, salt } from "./actions.ts";
import { ACCOUNTS } from "./anvil.ts";
import { AT, bytecodeOf, WARP } from "./stage.ts";

type Name = (column: string) => string;

/** How the rows of a table are told, in the words of the tests: names of columns become names of addresses. */
const TELLERS: Partial<Readonly<Record<FactTable, (row: FactRow, name: Name) => string>>> = {
  evm_internal_transactions: (row, name) =>
    `${row["opcode"]} ${name("from_address")} > ${name("to_address")} ${row["value"]}${row["is_reverted"] === "true" ? " reverted" : ""}`,
  evm_deployments: (_row, name) => `made ${name("address")} by ${name("creator_address")}`,
  erc20_transfers: (row, name) =>
    `${name("token_address")} ${name("from_address")} > ${name("to_address")} ${row["value"]}`,
  erc721_transfers: (row, name) =>
    `${name("token_address")} ${name("from_address")} > ${name("to_address")} #${row["token_id"]}`,
  erc1155_transfers: (row, name) =>
    `${name("token_address")} ${name("from_address")} > ${name("to_address")} ${row["value"]} #${row["token_id"]}`,
  icm_events: (row, name) => `${row["event"]} at ${name("messenger_address")}`,
};

/** Where a row stands in its block. */
const PLACE = ["block_index", "trace_index", "log_index", "batch_index"];

/** What the tables tell of a block, table by table in the order of the chain. */
export function toldOf(facts: Facts, block: number): string[] {
  const names = namesIn(facts, block);
  return Object.entries(TELLERS).flatMap(([table, teller]) =>
    facts[table as FactTable]
      .filter((row) => row["block_number"] === String(block))
      .sort((a, b) => PLACE.reduce((so, column) => so || Number(a[column] ?? 0) - Number(b[column] ?? 0), 0))
      .map((row) => teller(row, (column) => names.get(row[column] ?? "") ?? String(row[column]))),
  );
}

/** Addresses by name: the cast, the accounts, what the factory made, and `new`, what the block's only transaction made. */
function namesIn(facts: Facts, block: number): Map<string, string> {
  const from = AT.factory;
  const made = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((nonce) => getContractAddress({ from, nonce: BigInt(nonce) }));
  const nonce = facts.evm_transactions.find((row) => row["block_number"] === String(block))?.["nonce"] ?? 0;
  const bytecode = bytecodeOf("Box");
  const names: [name: string, address: Address][] = [
    ...(Object.entries(AT) as [string, Address][]),
    ...["first", "second", "third"].map((name, i): [string, Address] => [name, ACCOUNTS[i] as Address]),
    ...made.map((address, i): [string, Address] => [`made${i + 1}`, address]),
    ["child", getContractAddress({ from: made[3] as Address, nonce: 1n })],
    ["salted", getCreate2Address({ from, salt: salt(5), bytecode })],
    ["phoenix", getCreate2Address({ from, salt: PHOENIX, bytecode })],
    ["new", getContractAddress({ from: ACCOUNTS[0] as Address, nonce: BigInt(nonce) })],
    ["zero", `0x${"0".repeat(40)}`],
    ["warp", WARP],
  ];
  return new Map(names.map(([name, address]) => [address.toLowerCase(), name]));
}
