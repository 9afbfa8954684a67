import { graphql } from "graphql";
import type { Config } from "../../../core/config-schema.ts";
import { createLogger } from "../../../core/logger.ts";
import { createJournal } from "../../../indexer/primary/raw-store/journal.ts";
import { openReplay } from "../../../indexer/primary/replay/replay.ts";
import { tryBecomeWriter, type Writer } from "../../../indexer/shared/writer.ts";
import {
  createPrimaryNetworkSubgraph,
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
import { replayPrimary, storeFacts } from "./replayed-primary.ts";
import { servedNetworks } from "./whole-alpha.ts";

/** The primary-network subgraph over a recording, served as `fuji`. */
export interface OpenedPrimary extends AsyncDisposable {
  readonly recording: PrimaryRecording;
  readonly database: TestDatabase;
  readonly subgraph: PrimaryNetworkSubgraph;
  /** Clock of the subgraph: the time of the P-Chain at the last snapshot that is replayed, or what a test sets. */
  readonly clock: { nowSeconds: number };
  /** Data of a query; fails with its first error. */
  ask<Data = Record<string, unknown>>(query: string): Promise<Data>;
  /** Codes and messages of the errors of a query. */
  refusals(query: string): Promise<string[]>;
}

/** The same while the recording is replayed. */
export interface PrimaryWalk extends OpenedPrimary {
  /** Replays up to each snapshot in turn, the oldest first, and checks there; `npm test` takes every second one. */
  walk(check: (snapshot: Snapshot) => Promise<void>): Promise<void>;
  /** Replays up to the snapshot whose name ends so, and gives it. */
  walkTo(name: string): Promise<Snapshot>;
}

/** Replays the whole recording. */
export async function openPrimary(folder: string, settings: Partial<Config> = {}): Promise<OpenedPrimary> {
  const database = await replayPrimary(folder);
  const clock = { nowSeconds: chainTimeOf(readSnapshots(folder).at(-1) as Snapshot) };
  const opened = await servedOver(database, folder, { clock, settings });
  return { ...opened, recording: database.recording, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** Replays nothing before it is walked. */
export async function openPrimaryWalk(folder: string): Promise<PrimaryWalk> {
  const recording = readPrimaryRecording(folder);
  const database = await createTestDatabase();
  const writer = (await tryBecomeWriter(database.url, "primary")) as Writer;
  await writer.transaction((session) => storeFacts(session, recording.network));
  await createJournal(writer, recording.network.networkId);
  const replay = await openReplay({ writer, network: recording.network });
  const clock = { nowSeconds: 0 };

  async function advance({ heights }: Snapshot): Promise<void> {
    const { entries, vertexCount, atomicBlocks } = recording;
    const last = { P: heights.P, X: heights.X === null ? (heights.vertices ?? 0) - 1 : vertexCount + heights.X };
    for (const chain of ["P", "X"] as const)
      await replay.accept(chain, entries[chain].slice(replay.heads[chain].journalSeq + 1, last[chain] + 1));
    const isNew = ({ number }: { number: number }) => number > replay.heads.C.blockNumber && number <= heights.c;
    await replay.acceptAtomic(atomicBlocks.filter(isNew));
  }

  async function arrive(snapshot: Snapshot): Promise<void> {
    await advance(snapshot);
    clock.nowSeconds = chainTimeOf(snapshot);
  }

  return {
    ...(await servedOver(database, folder, { clock, settings: {} })),
    recording,
    async walk(check) {
      for (const snapshot of sampledSnapshots(folder)) {
        await arrive(snapshot);
        await check(snapshot);
      }
    },
    async walkTo(name) {
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

async function servedOver(
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
    graphql({ schema: subgraph.schema, source, contextValue: subgraph.context({ requestId: "test" }) });
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
