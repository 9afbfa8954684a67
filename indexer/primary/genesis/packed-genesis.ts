import { gunzipSync, gzipSync } from "node:zlib";
import {
  blob,
  blsPublicKey,
  blsSignature,
  decode,
  integer,
  list,
  shortId,
  struct,
  text,
  u32,
  u64,
  type ValueOf,
  versions,
} from "../../../core/formats/codec/bytes/layout.ts";
import type { Allocation, GenesisFile, Unlock } from "./genesis-file.ts";
import { createWriter } from "./writer.ts";

const staker = struct({
  nodeId: shortId,
  rewardAddress: shortId,
  delegationFee: u32,
  /** Empty, or one element. */
  signers: list(struct({ publicKey: blsPublicKey, proofOfPossession: blsSignature })),
});

/** A genesis file stored by columns, with each distinct unlock schedule once, which compresses well. */
const table = struct({
  networkId: u32,
  startTime: integer,
  initialStakeDuration: integer,
  initialStakeDurationOffset: integer,
  /** Columns of the allocations. */
  ethAddrs: list(shortId),
  avaxAddrs: list(shortId),
  initialAmounts: list(u64),
  schedules: list(u32),
  /** Columns of the schedules. */
  amounts: list(list(u64)),
  locktimes: list(list(u64)),
  /** Indexes of the first allocations to those addresses. */
  initialStakedFunds: list(u32),
  initialStakers: list(staker),
  cChainGenesis: blob,
  message: text,
});
const layout = versions({ 0: table });
type Table = ValueOf<typeof table>;

/** Packs a genesis file into gzipped bytes for `unpackGenesis`. */
export function packGenesis(file: GenesisFile): Uint8Array {
  const { allocations } = file;
  const schedules = distinct(
    allocations.map(({ unlockSchedule }) => unlockSchedule),
    keyOfSchedule,
  );
  const addresses = allocations.map(({ avaxAddr }) => avaxAddr);
  const writer = createWriter().u16(0).u32(file.networkId);
  writer.u64(file.startTime).u64(file.initialStakeDuration).u64(file.initialStakeDurationOffset);
  writer.list(allocations, ({ ethAddr }) => writer.hex(ethAddr));
  writer.list(addresses, (address) => writer.hex(address));
  writer.list(allocations, ({ initialAmount }) => writer.u64(initialAmount));
  writer.list(schedules.indexes, (index) => writer.u32(index));
  for (const name of ["amount", "locktime"] as const)
    writer.list(schedules.values, (unlocks) => writer.list(unlocks, (unlock) => writer.u64(unlock[name])));
  writer.list(file.initialStakedFunds, (address) => writer.u32(addresses.indexOf(address)));
  writer.list(file.initialStakers, ({ nodeId, rewardAddress, delegationFee, signer }) => {
    writer.hex(nodeId).hex(rewardAddress).u32(delegationFee);
    writer.list(signer ? [signer] : [], (keys) => writer.hex(keys.publicKey).hex(keys.proofOfPossession));
  });
  writer.blob(Buffer.from(file.cChainGenesis)).text(file.message);
  return gzipSync(writer.finish(), { level: 9 });
}

/** Unpacks the result of `packGenesis`. */
export function unpackGenesis(packed: Uint8Array): GenesisFile {
  const { ethAddrs, avaxAddrs, initialAmounts, schedules, amounts, locktimes, ...read } = decode(
    layout,
    gunzipSync(packed),
    "genesis table",
  );
  return {
    ...read,
    allocations: allocationsOf({ ethAddrs, avaxAddrs, initialAmounts, schedules, amounts, locktimes }),
    initialStakedFunds: read.initialStakedFunds.map((index) => avaxAddrs[index] as string),
    initialStakers: read.initialStakers.map(({ signers, ...one }) => ({ ...one, signer: signers[0] ?? null })),
    cChainGenesis: Buffer.from(read.cChainGenesis).toString(),
  };
}

type Columns = Pick<Table, "ethAddrs" | "avaxAddrs" | "initialAmounts" | "schedules" | "amounts" | "locktimes">;

function allocationsOf(columns: Columns): Allocation[] {
  const schedules = columns.amounts.map((amounts, at): readonly Unlock[] => {
    const locktimes = columns.locktimes[at] as readonly bigint[];
    return amounts.map((amount, index) => ({ amount, locktime: locktimes[index] as bigint }));
  });
  return columns.ethAddrs.map((ethAddr, at) => ({
    ethAddr,
    avaxAddr: columns.avaxAddrs[at] as string,
    initialAmount: columns.initialAmounts[at] as bigint,
    unlockSchedule: schedules[columns.schedules[at] as number] as readonly Unlock[],
  }));
}

const keyOfSchedule = (unlocks: readonly Unlock[]): string =>
  unlocks.map(({ amount, locktime }) => `${amount} ${locktime}`).join();

/** The distinct values by key, and for each value the index of its distinct one. */
function distinct<Value>(values: readonly Value[], keyOf: (value: Value) => string) {
  const byKey = new Map<string, { index: number; value: Value }>();
  const indexes = values.map((value) => {
    const key = keyOf(value);
    const { index } = byKey.get(key) ?? { index: byKey.size };
    byKey.set(key, { index, value });
    return index;
  });
  return { indexes, values: [...byKey.values()].map(({ value }) => value) };
}
