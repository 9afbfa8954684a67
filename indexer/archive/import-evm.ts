import type { Config, EvmChainConfig } from "../../core/config/config-schema.ts";
import { BadUpstreamData } from "../../core/errors/errors.ts";
import { ExpectedError } from "../../core/errors/expected-error.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { mapGoodBlocks } from "../evm/batches.ts";
import { asWriter, createThrottledReport } from "../evm/commands/command.ts";
import { chainRules } from "../evm/decode/chain-rules.ts";
import { verifyRoots } from "../evm/fetch/block-roots.ts";
import { verifyHeaderHash } from "../evm/fetch/header-hash.ts";
import { type BlockRef, type EvmSource, parseRef } from "../evm/fetch/source.ts";
import { verifyBlock } from "../evm/fetch/verify-block.ts";
import { verifyStoredTraces } from "../evm/fetch/verify-traces.ts";
import { importBlocks } from "../evm/follow/import-blocks.ts";
import { decompressed } from "../evm/raw-blocks/stored-blocks.ts";
import type { RawBlock } from "../evm/wire/blocks.ts";
import { goodOrThrow } from "../shared/good-prefix.ts";
import { INITIAL_PROGRESS, type ProgressState } from "../shared/progress.ts";
import { unpackRows } from "./binary-file.ts";
import { EVM_COLUMNS, type EvmRow, hexOf, requireParent } from "./evm-store.ts";
import type { BlockFile, ChainFiles } from "./manifest.ts";
import type { FileSource } from "./source-directory.ts";

export interface ImportDeps {
  /** URL of the database. */
  readonly url: string;
  readonly source: FileSource;
  readonly indexing: Config["indexing"];
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

/** How far a chain is after an import. */
export interface Imported {
  readonly name: string;
  /** Number of blocks, or of vertices and blocks, that were new. */
  readonly blocks: number;
  readonly last: number;
}

/**
 * Indexes the blocks of an archive that follow the last indexed one, with all checks of blocks from a node. An interrupted import
 * continues. Rejects with an `ExpectedError`, which names file and block, if a block fails a check or is not on the indexed branch.
 */
export function importEvmChain(deps: ImportDeps, chain: EvmChainConfig, archived: ChainFiles): Promise<Imported> {
  const { url, source: files, signal, report } = deps;
  const rules = chainRules(chain);
  const { chainId } = rules;
  const name = `chain ${chainId}`;
  const source = createArchiveSource(files, archived, chain);
  const last = archived.files.at(-1)?.to ?? -1;
  const throttled = createThrottledReport(report);
  const progress = progressOf(name, chainId, ({ blockNumber }) =>
    throttled(() => `${name}: ${blockNumber} of ${last}`),
  );
  return asWriter(url, chainId, async (writer) => {
    const chainDeps = { ...deps, writer, rules, source, progress };
    try {
      const { from, to } = await importBlocks(chainDeps, last);
      signal.throwIfAborted();
      return { name, blocks: to - from + 1, last: to };
    } catch (error) {
      if (!(error instanceof BadUpstreamData)) throw error;
      const file = fileOf(archived, progress.current.blockNumber + 1) ?? archived.files.at(-1);
      // The checks are those of blocks from a node.
      const reason = error.message.replaceAll("the node ", "the archive ");
      throw new ArchiveRefused(`${name}, file ${file?.path} of the archive: ${reason}`);
    }
  });
}

/** The archive cannot be imported; the message gives the file, the block and the reason. */
export class ArchiveRefused extends ExpectedError {}

/** A progress that is only kept in memory. The indexer, which is not running, stores its own when it starts. */
function progressOf(name: string, chain: string, changed: (state: ProgressState) => void) {
  let current: ProgressState = { ...INITIAL_PROGRESS, beganAt: 0 };
  return {
    name,
    chain,
    ids: { chainId: chain },
    get current() {
      return current;
    },
    update(change: Partial<ProgressState>) {
      current = { ...current, ...change };
      changed(current);
    },
    async [Symbol.asyncDispose]() {},
  };
}

const fileOf = ({ files }: ChainFiles, number: number): BlockFile | undefined =>
  files.find(({ from, to }) => from <= number && number <= to);

/** An archive in place of a node. */
function createArchiveSource(files: FileSource, archived: ChainFiles, chain: EvmChainConfig): EvmSource {
  const isTraced = chain.traces !== "off";
  const tracing = isTraced
    ? { isOn: true, reason: null }
    : { isOn: false, reason: "the setting evmChains[].traces is off for this chain" };
  let loaded: { readonly file: BlockFile; readonly rows: readonly EvmRow[] } | null = null;

  async function rowsOf(file: BlockFile): Promise<readonly EvmRow[]> {
    if (loaded?.file === file) return loaded.rows;
    if (loaded && loaded.file.to < file.from) files.release(loaded.file);
    const next = archived.files[archived.files.indexOf(file) + 1];
    const reading = files.read(file);
    if (next) files.expect(next);
    const rows = await unpackRows<EvmRow>(EVM_COLUMNS, await reading);
    loaded = { file, rows };
    return rows;
  }

  async function rowAt(number: number): Promise<EvmRow> {
    const file = fileOf(archived, number);
    const row = file && (await rowsOf(file))[number - file.from];
    if (row?.block_number === number) return row;
    throw new BadUpstreamData(`block ${number} is missing`);
  }

  /** Hash of a block in hex, which the manifest has of the last block of each file; null before the first block. */
  async function hashBefore(number: number): Promise<string | null> {
    const ended = archived.files.find(({ to }) => to === number - 1);
    if (ended?.tip) return ended.tip.blockId;
    return number === 0 ? null : hexOf((await rowAt(number - 1)).block_hash);
  }

  async function refAt(number: number): Promise<BlockRef> {
    const { payload } = await rowAt(number);
    const [raw] = await decompressed([{ payload, traces: null }]);
    return parseRef((raw as RawBlock).block);
  }

  async function verified(row: EvmRow, number: number): Promise<RawBlock> {
    const [raw] = await decompressed([{ payload: row.payload, traces: isTraced ? row.traces : null }]);
    const { block, receipts, traces } = raw as RawBlock;
    const checked = verifyBlock(number, block, receipts);
    verifyHeaderHash(block);
    verifyRoots(block, receipts);
    if (traces) verifyStoredTraces(block, receipts, traces);
    return { ...checked, traces };
  }

  return {
    tracing,
    identify: async () => {},
    chainId: async () => chain.chainId,
    head: () => refAt(archived.files.at(-1)?.to ?? -1),
    blockRef: async (number) => (fileOf(archived, number) ? await refAt(number) : null),
    async blocks(from, to) {
      const file = fileOf(archived, from);
      if (!file) throw new BadUpstreamData(`block ${from} is missing`);
      const rows = (await rowsOf(file)).slice(from - file.from, to - file.from + 1);
      if (rows.length === 0) throw new BadUpstreamData(`block ${from} is missing`);
      let before = await hashBefore(from);
      const raws = await mapGoodBlocks(rows, async (row, i) => {
        const number = from + i;
        const raw = await verified(row, number).catch((error: unknown) => {
          if (error instanceof BadUpstreamData) throw error;
          throw new BadUpstreamData(`block ${number} cannot be decoded: ${String(error)}`);
        });
        if (before !== null) requireParent(number, raw.block.parentHash.slice(2), before);
        before = raw.block.hash.slice(2);
        return raw;
      });
      return goodOrThrow(raws);
    },
    tracedBlock: () => Promise.reject(new Error("an archive is asked for blocks only")),
  };
}
