import {
  type AbiParameter,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  parseAbiParameters,
  toEventSelector,
} from "viem";
import type { NodeLog } from "../recorded/node-chain.ts";
import { type FactRow, logIndexOf, type Place } from "./fact-row.ts";

/** Rows of the three kinds of transfer. */
export interface ExpectedTransfers {
  readonly erc20_transfers: FactRow[];
  readonly erc721_transfers: FactRow[];
  readonly erc1155_transfers: FactRow[];
}

const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
const TRANSFER_SINGLE = toEventSelector("TransferSingle(address,address,address,uint256,uint256)");
const TRANSFER_BATCH = toEventSelector("TransferBatch(address,address,address,uint256[],uint256[])");

const VALUE = parseAbiParameters("uint256");
const ID_AND_VALUE = parseAbiParameters("uint256, uint256");
const IDS_AND_VALUES = parseAbiParameters("uint256[], uint256[]");

/** The transfers of a log by the token standards: none, one, or a batch. */
export function expectedTransfers(place: Place, log: NodeLog): Partial<ExpectedTransfers> {
  const [selector, ...indexed] = log.topics;
  const row = { ...place, ...logIndexOf(log), token_address: log.address };
  if (selector === TRANSFER && indexed.length === 2) {
    const [value] = canonical<[bigint]>(VALUE, log.data) ?? [];
    if (value === undefined) return {};
    return { erc20_transfers: [{ ...row, ...sides(indexed), value: value.toString() }] };
  }
  if (selector === TRANSFER && indexed.length === 3)
    return { erc721_transfers: [{ ...row, ...sides(indexed), token_id: BigInt(indexed[2] as Hex).toString() }] };
  if ((selector === TRANSFER_SINGLE || selector === TRANSFER_BATCH) && indexed.length === 3) {
    const operator_address = addressIn(indexed[0]);
    const moved = selector === TRANSFER_SINGLE ? single(log.data) : batch(log.data);
    const erc1155_transfers = moved.map(([id, value], index) => ({
      ...row,
      batch_index: String(index),
      operator_address,
      ...sides(indexed.slice(1)),
      token_id: id.toString(),
      value: value.toString(),
    }));
    return { erc1155_transfers };
  }
  return {};
}

function single(data: Hex): (readonly [bigint, bigint])[] {
  const moved = canonical<[bigint, bigint]>(ID_AND_VALUE, data);
  return moved ? [moved] : [];
}

function batch(data: Hex): (readonly [bigint, bigint])[] {
  const [ids, values] = canonical<[readonly bigint[], readonly bigint[]]>(IDS_AND_VALUES, data) ?? [[], []];
  return ids.length === values.length ? ids.map((id, index) => [id, values[index] as bigint]) : [];
}

/** The decoded data if they equal the output of Solidity's encoder exactly; otherwise null. */
export function canonical<Values>(types: readonly AbiParameter[], data: Hex): Values | null {
  try {
    const values = decodeAbiParameters(types, data);
    return encodeAbiParameters(types, values) === data ? (values as Values) : null;
  } catch {
    return null;
  }
}

/** The address in a topic, lower case: its last twenty bytes. */
export function addressIn(topic: Hex | undefined): string {
  return `0x${(topic ?? "").slice(-40).toLowerCase()}`;
}

function sides([from, to]: readonly Hex[]): { readonly from_address: string; readonly to_address: string } {
  return { from_address: addressIn(from), to_address: addressIn(to) };
}
