import type { EvmChainConfig, PrimaryNetworkConfig } from "../../core/config/config-schema.ts";
import { BadUpstreamData } from "../../core/errors/errors.ts";
import { decodeContainer } from "../../core/formats/codec/blocks/proposer-blocks.ts";
import { formatId } from "../../core/formats/id-text.ts";
import { createThrottledReport } from "../evm/commands/command.ts";
import { storeInOrder } from "../follow/store-in-order.ts";
import { type DecodedEntry, type DecodedVertex, decodeBlock, decodeVertexEntry } from "../primary/decode/entries.ts";
import { type ChainTip, checkVertex, nextTip, stopVertexId } from "../primary/decode/links.ts";
import { readVertexTimes, type VertexTimes } from "../primary/fetch/vertex-times.ts";
import { checkParents, checkStopVertex } from "../primary/follow/vertices.ts";
import { loadNetwork, type NetworkDeps } from "../primary/identify/load-network.ts";
import { evmChainIdOfCChain } from "../primary/index-primary.ts";
import type { RawBlockChain } from "../primary/network/chains.ts";
import type { NetworkFacts } from "../primary/network/network.ts";
import { parseRules } from "../primary/network/rules.ts";
import { createRawBlockPartition } from "../primary/raw-blocks/entries.ts";
import { openReplay, type PrimaryReplay } from "../primary/replay/replay.ts";
import { decodeNamed, type GoodPrefix, mapGoodPrefix } from "../shared/good-prefix.ts";
import { tryBecomeWriter, type Writer } from "../shared/writer.ts";
import { unpackRows } from "./binary-file.ts";
import { ArchiveRefused, type ImportDeps, type Imported } from "./import-evm.ts";
import { type BlockFile, type ChainFiles, chainName } from "./manifest.ts";
import { entryOf, PRIMARY_COLUMNS, type PrimaryRow } from "./primary-store.ts";
import type { FileSource } from "./source-directory.ts";

/** Number of blocks that are written in one transaction. */
const BATCH = 500;

interface PrimaryImport {
  readonly settings: PrimaryNetworkConfig;
  /** All configured EVM chains; one of them may be the network's C-Chain. */
  readonly evmChains: readonly EvmChainConfig[];
  /** Those of the network in the archive. */
  readonly chains: readonly ChainFiles[];
}

/**
 * Indexes the blocks and vertices of an archive that follow the last indexed ones, with all checks of those from a node. An interrupted import
 * continues. Rejects with an `ExpectedError`, which names file and block, if a block fails a check.
 */
export async function importPrimaryNetwork(deps: ImportDeps, given: PrimaryImport): Promise<Imported[]> {
  const { settings, chains } = given;
  const { networkId } = settings;
  await using writer = await tryBecomeWriter(deps.url, `primary ${networkId}`);
  if (!writer)
    throw new ArchiveRefused(`another process indexes network ${networkId}: stop it, then run the command again`);
  await createRawBlockPartition(writer, networkId);
  const node = archivedNode(deps.source, settings, chains);
  const network = await loadNetwork({ settings, source: node, writer }).catch(refusedBy(`network ${networkId}`));
  const withCChain = evmChainIdOfCChain(given, network) !== null;
  const replay = await openReplay({ writer, network, withCChain, signal: deps.signal });
  const times = await readVertexTimes(settings.vertexTimesFile);
  const imported: Imported[] = [];
  for (const chain of chains) {
    const name = chain.chain === "X" ? "X" : "P";
    imported.push(await importChain({ ...deps, writer, network, replay, times, name, chain }));
  }
  return imported;
}

/** What `loadNetwork` asks a node, from the archive. */
function archivedNode(
  source: FileSource,
  { networkId }: PrimaryNetworkConfig,
  chains: readonly ChainFiles[],
): NetworkDeps["source"] {
  const rules = () => {
    const text = source.manifest.rules[String(networkId)];
    const parsed = text === undefined ? null : parseRules(text);
    if (parsed) return parsed;
    throw new ArchiveRefused(
      `the archive has no rules of network ${networkId} that this version knows: start the indexer once, which reads them from the node`,
    );
  };
  return {
    networkId: async () => networkId,
    upgrades: async () => rules().upgrades,
    feeRules: async () => ({ l1Fees: rules().l1Fees, dynamicFees: rules().dynamicFees }),
    async blocks() {
      const file = chains.find(({ chain }) => chain === "P")?.files[0];
      const [first] = file ? await unpackRows<PrimaryRow>(PRIMARY_COLUMNS, await source.read(file)) : [];
      if (!first) throw new ArchiveRefused(`the archive has no P-Chain of network ${networkId}`);
      return [decodeContainer(first.payload).block];
    },
  };
}

interface ChainImport extends ImportDeps {
  readonly writer: Writer;
  readonly network: NetworkFacts;
  readonly replay: PrimaryReplay;
  readonly times: VertexTimes;
  readonly name: RawBlockChain;
  readonly chain: ChainFiles;
}

async function importChain(run: ChainImport): Promise<Imported> {
  const { source, replay, name, chain, signal, report } = run;
  const throttled = createThrottledReport(report);
  const before = replay.heads[name].rawSeq;
  const last = chain.files.at(-1)?.to ?? -1;
  const missing = chain.files.filter(({ to }) => to > before);
  for (const [i, file] of missing.entries()) {
    signal.throwIfAborted();
    const next = missing[i + 1];
    const reading = source.read(file);
    if (next) source.expect(next);
    const bytes = await reading;
    await importFile(run, bytes).catch(refusedBy(`${chainName(chain)}, file ${file.path} of the archive`));
    source.release(file);
    throttled(() => `${chainName(chain)}: ${replay.heads[name].rawSeq} of ${last}`);
  }
  const { rawSeq } = replay.heads[name];
  requireTip(run, missing.at(-1));
  return { name: chainName(chain), blocks: rawSeq - before, last: rawSeq };
}

/** What is imported must end with the tip of the manifest. */
function requireTip({ replay, name, chain }: ChainImport, file: BlockFile | undefined): void {
  if (!file?.tip || file.tip.blockId === replay.heads[name].blockHash) return;
  throw new ArchiveRefused(
    `${chainName(chain)}, file ${file.path} of the archive: its last block is not that of the manifest`,
  );
}

const refusedBy =
  (what: string) =>
  (error: unknown): never => {
    throw error instanceof BadUpstreamData ? new ArchiveRefused(`${what}: ${error.message}`) : error;
  };

async function importFile(run: ChainImport, bytes: Buffer): Promise<void> {
  const { replay, name, signal } = run;
  const rows = (await unpackRows<PrimaryRow>(PRIMARY_COLUMNS, bytes)).filter(
    ({ seq }) => seq > replay.heads[name].rawSeq,
  );
  for (let i = 0; i < rows.length; i += BATCH) {
    signal.throwIfAborted();
    const batch = rows.slice(i, i + BATCH);
    const end = batch.findIndex(({ is_vertex }) => is_vertex !== batch[0]?.is_vertex);
    const { good, failure } = await checked(run, end < 0 ? batch : batch.slice(0, end));
    const write = (some: readonly DecodedEntry[]) => replay.acceptDecoded(name, some, { relaxed: true });
    await storeInOrder(good, { write, nameOf });
    if (failure) throw failure;
    if (end >= 0) i += end - BATCH;
  }
}

const nameOf = (entry: DecodedEntry): string =>
  "vertex" in entry
    ? `vertex ${formatId(entry.vertex.id)}`
    : `block ${entry.block.height} (${formatId(entry.block.id)})`;

async function checked(run: ChainImport, rows: readonly PrimaryRow[]): Promise<GoodPrefix<DecodedEntry>> {
  const { replay, name } = run;
  const next = replay.heads[name].rawSeq + 1;
  const gap = rows.findIndex(({ seq }, i) => seq !== next + i);
  if (gap >= 0) throw new BadUpstreamData(`entry ${next + gap} of the ${name}-Chain is missing`);
  return rows[0]?.is_vertex ? checkedVertices(run, rows) : checkedBlocks(run, rows);
}

/** A time of the archive counts as one of a node. Times of the file `vertexTimesFile` replace it. */
async function checkedVertices(
  { writer, network, replay, times, name }: ChainImport,
  rows: readonly PrimaryRow[],
): Promise<GoodPrefix<DecodedEntry>> {
  if (name === "P" || replay.heads.X.blockNumber >= 0) throw new BadUpstreamData("a vertex comes after a block");
  const decoded = await mapGoodPrefix(rows, (row): DecodedVertex => {
    const entry = { ...entryOf(row), isTimeKnown: false };
    const vertex = decodeNamed(
      () => `vertex ${row.seq}`,
      () => decodeVertexEntry(entry),
    );
    checkVertex(network.xChainId, vertex.vertex, null);
    const known = times.get(vertex.vertex.id);
    return known === undefined ? vertex : { ...vertex, entry: { ...entry, acceptedAt: known, isTimeKnown: true } };
  });
  const parents = await checkParents(writer, network.networkId, decoded.good);
  return parents.failure ? parents : decoded;
}

async function checkedBlocks(
  { writer, network, replay, name }: ChainImport,
  rows: readonly PrimaryRow[],
): Promise<GoodPrefix<DecodedEntry>> {
  const head = replay.heads[name];
  let tip: ChainTip | null =
    head.blockNumber < 0 ? null : { height: head.blockNumber, blockId: head.blockHash, containerId: head.containerId };
  const decoded = await mapGoodPrefix(rows, (row): DecodedEntry => {
    const height = (tip?.height ?? -1) + 1;
    const block = decodeNamed(
      () => `block ${height}`,
      () => decodeBlock(name, { ...entryOf(row), isTimeKnown: false }),
    );
    const firstId = name === "P" ? network.genesis.id : block.block.parentId;
    tip = nextTip(
      name,
      tip ?? { height: -1, blockId: firstId, containerId: firstId },
      block.block,
      block.proposer,
      null,
    );
    return block;
  });
  const [first] = decoded.good;
  if (name === "X" && head.blockNumber < 0 && first && "block" in first)
    await checkLinearisation(writer, network, { firstParentId: first.block.parentId, vertices: head.rawSeq + 1 });
  return decoded;
}

/** The first block of the X-Chain names the stop vertex, which follows from all vertices. */
async function checkLinearisation(
  writer: Writer,
  network: NetworkFacts,
  { firstParentId, vertices }: { readonly firstParentId: string; readonly vertices: number },
): Promise<void> {
  if (vertices > 0) await writer.transaction((session) => checkStopVertex(session, network, firstParentId));
  else if (firstParentId !== stopVertexId(network.xChainId, 0, []))
    throw new BadUpstreamData("the X-Chain began with vertices, which the archive does not have");
}
