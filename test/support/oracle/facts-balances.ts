import { parseAbiParameters, toEventSelector } from "viem";
import type { ChainContracts, NodeBlock } from "../recorded/node-chain.ts";
import { decimal, type FactRow } from "./fact-row.ts";
import { addressIn, canonical } from "./facts-transfers.ts";

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/** The events by which a wrapped native token (WETH9) mints and burns. */
const SIGNS: Readonly<Record<string, bigint>> = {
  [toEventSelector("Deposit(address,uint256)")]: 1n,
  [toEventSelector("Withdrawal(address,uint256)")]: -1n,
};

interface Change {
  readonly token: string;
  readonly address: string;
  readonly amount: bigint;
}

/** Balances of all holders of a token after each block that changed them. */
export function expectedBalances(
  chain: ChainContracts,
  blocks: readonly NodeBlock[],
  transfers: readonly FactRow[],
): FactRow[] {
  const held = new Map<string, bigint>();
  return blocks.flatMap((block) => {
    const block_number = decimal(block.block.number);
    const before = new Map(held);
    const inBlock = transfers.filter((transfer) => transfer["block_number"] === block_number);
    for (const { token, address, amount } of [...inBlock.flatMap(changesOf), ...wraps(chain, block)]) {
      const key = `${token} ${address}`;
      if (address !== ZERO_ADDRESS) held.set(key, (held.get(key) ?? 0n) + amount);
    }
    const changed = [...held].filter(([key, balance]) => balance !== (before.get(key) ?? 0n));
    return changed.map(([key, balance]): FactRow => {
      const [token_address = "", address = ""] = key.split(" ");
      return { chain_id: String(chain.chainId), token_address, address, block_number, balance: balance.toString() };
    });
  });
}

function changesOf({ token_address, from_address, to_address, value }: FactRow): Change[] {
  const amount = BigInt(value ?? 0);
  return [
    { token: token_address ?? "", address: from_address ?? "", amount: -amount },
    { token: token_address ?? "", address: to_address ?? "", amount },
  ];
}

function wraps({ wrappedNativeTokens }: ChainContracts, { receipts }: NodeBlock): Change[] {
  const logs = receipts.flatMap(({ logs }) => logs).filter(({ address }) => wrappedNativeTokens.includes(address));
  return logs.flatMap(({ address, topics, data }) => {
    const sign = SIGNS[topics[0] ?? ""];
    const [amount] = canonical<[bigint]>(parseAbiParameters("uint256"), data) ?? [];
    if (sign === undefined || topics.length !== 2 || amount === undefined) return [];
    return [{ token: address, address: addressIn(topics[1]), amount: sign * amount }];
  });
}
