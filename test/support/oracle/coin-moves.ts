import { atomicTransactions } from "./atomic-oracle.ts";
import type { FactRow } from "./fact-row.ts";

/** Rows that describe movements of the native token. */
export interface CoinRows {
  readonly evm_blocks: readonly FactRow[];
  readonly evm_transactions: readonly FactRow[];
  readonly evm_internal_transactions: readonly FactRow[];
  readonly evm_ext_data: readonly FactRow[];
}

/** Change of an address's balance in a block, in wei. */
export interface CoinMove {
  readonly block: number;
  readonly address: string;
  readonly amount: bigint;
}

const WEI_PER_NANO = 1_000_000_000n;

/** All movements of the native token in the indexed rows, in any order. */
export function coinMoves(rows: CoinRows): CoinMove[] {
  const miners = new Map(rows.evm_blocks.map((row) => [row["block_number"], row["miner"]]));
  return [
    ...rows.evm_transactions.flatMap((row) => paid(row, miners.get(row["block_number"] ?? "") ?? "")),
    ...rows.evm_internal_transactions.filter(movesCoin).flatMap((row) => moved(row, row["to_address"])),
    ...rows.evm_ext_data.flatMap(crossed),
  ];
}

/** The transferred value and the fee. The block's miner gets the fee even if the transaction failed. */
function paid(row: FactRow, miner: string): CoinMove[] {
  const fee = BigInt(row["gas_used"] ?? 0) * BigInt(row["gas_price"] ?? 0);
  const toll = moved({ ...row, value: fee.toString() }, miner);
  return row["tx_status"] === "1" ? [...toll, ...moved(row, row["to_address"] ?? row["contract_address"])] : toll;
}

/** CALLCODE transfers nothing. */
function movesCoin(row: FactRow): boolean {
  return row["is_reverted"] === "false" && row["opcode"] !== "CALLCODE" && row["value"] !== "0";
}

function moved(row: FactRow, to: string | null | undefined): CoinMove[] {
  if (!to) throw new Error(`coin goes nowhere: ${JSON.stringify(row)}`);
  const block = Number(row["block_number"]);
  const amount = BigInt(row["value"] ?? 0);
  return [
    { block, address: row["from_address"] ?? "", amount: -amount },
    { block, address: to, amount },
  ];
}

function crossed(row: FactRow): CoinMove[] {
  const block = Number(row["block_number"]);
  return atomicTransactions(row["ext_data"] ?? "0x").flatMap(({ moves }) =>
    moves.map(({ address, amountNano }) => ({ block, address, amount: amountNano * WEI_PER_NANO })),
  );
}
