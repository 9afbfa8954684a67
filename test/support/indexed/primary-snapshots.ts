import { graphql } from "graphql";
import type { Config } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import { createRawBlockPartition } from "../../../indexer/primary/raw-blocks/entries.ts";
import { openReplay } from "../../../indexer/primary/replay/replay.ts";
import { tryBecomeWriter, type Writer } from "../../../indexer/shared/writer.ts";
import {
  createSubgraph as createPrimaryNetworkSubgraph,
  type PrimaryNetworkSubgraph,
} from "../../../subgraphs/primary-network/subgraph.ts";
import { testConfig } from "../config.ts";
import { createTestDatabase, type TestDatabase } from "../database/database.ts";
import {
  type PrimaryRecording,
  readPrimaryRecording,
  readSnapshots,
  type Snapshot,
  sampledSnapshots,
} from "../recorded/primary-recording.ts";
import { servedNetworks } from "./alpha-network.ts";
import { replayPrimary, storeFacts } from "./replayed-primary.ts";

/** The primary-network subgraph over a replayed recording, served as `fuji`. */
export interface OpenedPrimary extends AsyncDisposable {
  readonly recording: PrimaryRecording;
  readonly database: TestDatabase;
  readonly subgraph: PrimaryNetworkSubgraph;
  /** The subgraph's clock: the P-Chain's time at the last replayed snapshot, or a time that a test sets. */
  readonly clock: { nowSeconds: number };
  /** Returns the data of a query; rejects with its first error. */
  ask<Data = Record<string, unknown>>(query: string): Promise<Data>;
  /** Returns codes and messages of a query's errors. */
  refusals(query: string): Promise<string[]>;
}

/** The same, with a replay that stops at snapshots. */
export interface SnapshotReplay extends OpenedPrimary {
  /** Replays the first entries and blocks of each chain, as many as given. */
  advanceTo(counts: Readonly<Record<"P" | "X" | "C", number>>): Promise<void>;
  /** Replays up to each snapshot in turn, the oldest first, and checks there; `npm test` takes every second one. */
  forEachSnapshot(check: (snapshot: Snapshot) => Promise<void>): Promise<void>;
  /** Replays up to the snapshot whose name ends with `name`, and returns it. */
  replayTo(name: string): Promise<Snapshot>;
}

/** Replays the whole recording. */
export async function openPrimary(folder: string, settings: Partial<Config> = {}): Promise<OpenedPrimary> {
  const database = await replayPrimary(folder);
  const clock = { nowSeconds: chainTimeOf(readSnapshots(folder).at(-1) as Snapshot) };
  const opened = await servedOver(database, folder, { clock, settings });
  return { ...opened, recording: database.recording, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** Opens a recording without replaying any block. */
export async function openSnapshotReplay(folder: string): Promise<SnapshotReplay> {
  const recording = readPrimaryRecording(folder);
  const database = await createTestDatabase();
  const writer = (await tryBecomeWriter(database.url, "primary")) as Writer;
  await writer.transaction((session) => storeFacts(session, recording.network));
  await createRawBlockPartition(writer, recording.network.networkId);
  const replay = await openReplay({ writer, network: recording.network });
  const clock = { nowSeconds: 0 };

  async function advanceTo({ P, X, C }: Readonly<Record<"P" | "X" | "C", number>>): Promise<void> {
    const { entries, atomicBlocks } = recording;
    await replay.accept("P", entries.P.slice(replay.heads.P.rawSeq + 1, P));
    await replay.accept("X", entries.X.slice(replay.heads.X.rawSeq + 1, X));
    await replay.acceptAtomic(atomicBlocks.slice(0, C).filter(({ number }) => number > replay.heads.C.blockNumber));
  }

  async function advance({ heights }: Snapshot): Promise<void> {
    const { vertexCount, atomicBlocks } = recording;
    const X = heights.X === null ? (heights.vertices ?? 0) : vertexCount + heights.X + 1;
    const C = atomicBlocks.filter(({ number }) => number <= heights.c).length;
    await advanceTo({ P: heights.P + 1, X, C });
  }

  async function arrive(snapshot: Snapshot): Promise<void> {
    await advance(snapshot);
    clock.nowSeconds = chainTimeOf(snapshot);
  }

  return {
    ...(await servedOver(database, folder, { clock, settings: {} })),
    recording,
    advanceTo,
    async forEachSnapshot(check) {
      for (const snapshot of sampledSnapshots(folder)) {
        await arrive(snapshot);
        await check(snapshot);
      }
    },
    async replayTo(name) {
      const snapshot = readSnapshots(folder).find((one) => one.name.endsWith(name));
      if (!snapshot) throw new Error(`the recording has no snapshot ${name}`);
      await arrive(snapshot);
      return snapshot;
    },
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

interface ServedOptions {
  readonly clock: OpenedPrimary["clock"];
  readonly settings: Partial<Config>;
}

/** The subgraph over a database that holds a network with the ids of a recording. */
export async function servedOver(
  database: TestDatabase,
  folder: string,
  { clock, settings }: ServedOptions,
): Promise<Omit<OpenedPrimary, "recording" | keyof AsyncDisposable>> {
  const subgraph = await createPrimaryNetworkSubgraph({
    config: { ...testConfig(), primaryNetworks: servedNetworks(folder), ...settings },
    database,
    logger: createLogger("fatal"),
    nowSeconds: () => clock.nowSeconds,
  });
  const run = (source: string) =>
    graphql({
      schema: subgraph.schema,
      source,
      contextValue: subgraph.context({ work: createWork(), requestId: "test" }),
    });
  return {
    database,
    subgraph,
    clock,
    async ask<Data>(query: string) {
      const { data, errors } = await run(query);
      if (errors) throw errors[0];
      return data as Data;
    },
    async refusals(query) {
      const { errors = [] } = await run(query);
      return errors.map(({ message, extensions }) => `${extensions["code"]} ${message}`);
    },
  };
}

/** Time of the P-Chain at a snapshot, in seconds. */
export function chainTimeOf(snapshot: Snapshot): number {
  const [time] = snapshot.answers("platform.getTimestamp");
  const { result } = time as { result: { timestamp: string } };
  return Date.parse(result.timestamp) / 1_000;
}
