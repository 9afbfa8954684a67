import { basename } from "node:path";
import type { NetworkFacts } from "../../../indexer/primary/network/network.ts";
import { formatRules } from "../../../indexer/primary/network/rules.ts";
import { createRawBlockPartition } from "../../../indexer/primary/raw-blocks/entries.ts";
import { openReplay } from "../../../indexer/primary/replay/replay.ts";
import { createPartitionsOf } from "../../../indexer/shared/partitions.ts";
import { copiesOf } from "../../../indexer/shared/table-rows.ts";
import { type Session, tryBecomeWriter } from "../../../indexer/shared/writer.ts";
import { readManifest } from "../../../recordings/manifest.ts";
import { createFilledDatabase, type TestDatabase } from "../database/database.ts";
import { type PrimaryRecording, readPrimaryRecording } from "../recorded/primary-recording.ts";

/** A database with a completely replayed recording. */
export interface ReplayedPrimary extends TestDatabase {
  readonly recording: PrimaryRecording;
}

/** Replays every block, vertex and atomic transaction of a recording into a database of its own. */
export async function replayPrimary(folder: string): Promise<ReplayedPrimary> {
  const recording = readPrimaryRecording(folder);
  const database = await createFilledDatabase(`primary_${basename(folder)}`, async ({ url }) => {
    await storeAtomicData(url, folder, recording);
    await replayInto(url, recording);
  });
  return { ...database, recording };
}

/** Stores the blocks' atomic data, as the indexer of the EVM chain does. */
async function storeAtomicData(databaseUrl: string, folder: string, { atomicBlocks }: PrimaryRecording): Promise<void> {
  const cChain = readManifest(folder).chains.find(({ alias }) => alias === "C");
  const chainId = String(cChain?.evmChainId);
  const writer = await tryBecomeWriter(databaseUrl, `evm ${chainId}`);
  if (!writer) throw new Error("the database has a writer already");
  try {
    await createPartitionsOf(writer, ["evm_ext_data"], chainId);
    const rows = atomicBlocks
      .filter(({ extData }) => extData.byteLength > 0)
      .map(({ number, hash, timestamp, extData }) => ({
        block_number: number,
        block_hash: hash,
        block_timestamp: timestamp,
        ext_data: extData,
      }));
    await writer.transaction((session) => session.copy(copiesOf("evm_ext_data", chainId, rows)));
  } finally {
    await writer[Symbol.asyncDispose]();
  }
}

/** Replays a recording into a database that may have other chains. */
export async function replayInto(databaseUrl: string, recording: PrimaryRecording): Promise<void> {
  const { network, entries, atomicBlocks } = recording;
  const writer = await tryBecomeWriter(databaseUrl, "primary");
  if (!writer) throw new Error("the database has a writer already");
  try {
    await writer.transaction((session) => storeFacts(session, network));
    await createRawBlockPartition(writer, network.networkId);
    const replay = await openReplay({ writer, network });
    await replay.accept("P", entries.P);
    await replay.accept("X", entries.X);
    await replay.acceptAtomic(atomicBlocks);
  } finally {
    await writer[Symbol.asyncDispose]();
  }
}

/** Stores the row of a network, as the indexer does before the first block. */
export async function storeFacts(session: Session, network: NetworkFacts): Promise<void> {
  const { networkId, hrp, genesis, xChainId, cChainId, avaxAssetId } = network;
  const ids = [genesis.id, xChainId, cChainId, avaxAssetId].map((hex) => Buffer.from(hex, "hex"));
  await session.query(
    `INSERT INTO primary_networks
       (network_id, hrp, genesis_timestamp, rules, genesis_hash, x_chain_id, c_chain_id, avax_asset_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [networkId, hrp, genesis.timestamp, formatRules(network), ...ids],
  );
}
