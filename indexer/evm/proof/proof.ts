import { messageOf } from "../../../core/errors/errors.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { createBackground, type UseSession } from "../../shared/background.ts";
import type { MaintenanceSession } from "../../shared/maintenance-session.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import type { Progress } from "../../shared/progress.ts";
import { createDifferenceLog, type Difference, redacted } from "../../shared/verification.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import { compareHoldingsOf } from "../compare/compare-holdings.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import type { EvmSource } from "../fetch/source.ts";
import { lastSeq } from "../raw-blocks/entries.ts";
import { indexedBlock, loadHead } from "../store/head.ts";
import { compareWithEvents } from "./compare-events.ts";
import {
  askContracts,
  BlocksReplaced,
  type ContractAnswers,
  compareHashes,
  type IndexedBlock,
} from "./compare-node.ts";
import { compareRun, differenceOf, differingIn } from "./compare-stored.ts";
import { type Compared, combined, NOTHING_REPEATED, type Repeated } from "./difference.ts";
import { sampleBlocks } from "./sample.ts";
import { type HolderBalance, type NftOwner, sampleHolders, sampleNfts, sampleTokens } from "./sampled-tokens.ts";
import { withSnapshot } from "./snapshot.ts";
import { loadVerification, storeVerification } from "./store.ts";

/** Compares samples of a chain's rows with its stored blocks and its node, in the background. */
export interface Proof extends AsyncDisposable {
  /** Tells that blocks up to this one are indexed. Returns at once. */
  afterBlocks(blockNumber: number): void;
  /** Tells that the rows have reached the node's head. May be called any number of times. Returns at once. */
  atHead(): void;
}

interface AskedNode {
  readonly node: Pick<NodeClient, "callAll" | "redact">;
  readonly source: Pick<EvmSource, "blockRef">;
}

export interface ProofDeps {
  readonly session: MaintenanceSession;
  readonly rules: ChainRules;
  readonly writer: Pick<Writer, "transaction">;
  /** The node with which the rows are compared, chosen for each comparison. */
  contractNode(): AskedNode;
  readonly progress: Pick<Progress, "update">;
  readonly logger: Logger;
  /** Number of new blocks after which a comparison is due; 0: never compare. */
  readonly everyBlocks: number;
  /** Aborts when the chain is not indexed any more. */
  readonly signal: AbortSignal;
  /** Default: the clock of the process. */
  readonly nowMs?: () => number;
  /** Default: that of JavaScript. */
  readonly random?: () => number;
  /** Pause between two requests for a block that differs on the node. Default: one second. */
  readonly pauseMs?: number;
}

/** At the head, a comparison is due after this time, also without new blocks. */
const AT_REST_MS = 10 * 60_000;

/**
 * A comparison is due after each `everyBlocks` blocks, when the rows reach the node's head, and then every ten minutes. A comparison that is
 * due while one waits or runs is left out. A difference is stored, shown in the progress and logged once; the chain goes on. If a comparison
 * fails, the reason is logged, and the next one is tried when it is due.
 */
export function createProof(deps: ProofDeps): Proof {
  const { session, everyBlocks, rules, logger, nowMs = performance.now.bind(performance) } = deps;
  const background = createBackground(session);
  const log = createDifferenceLog(logger, { chainId: rules.chainId });
  /** Last block when the last comparison began; null before the first call. */
  let begunAt: number | null = null;
  /** When a comparison at the head is due. */
  let atRestMs = Number.NEGATIVE_INFINITY;
  const start = (): void => {
    background.start(
      (use) => prove(deps, { use, signal: background.signal, log }),
      (error) => {
        if (deps.signal.aborted) return;
        const ids = { chainId: rules.chainId };
        logger.warn({ ...ids, err: error }, `samples of the rows could not be compared: ${messageOf(error)}`);
      },
    );
  };
  return {
    afterBlocks(blockNumber) {
      begunAt = Math.min(begunAt ?? blockNumber, blockNumber);
      if (everyBlocks === 0 || background.isRunning || blockNumber - begunAt < everyBlocks) return;
      begunAt = blockNumber;
      start();
    },
    atHead() {
      if (everyBlocks === 0 || background.isRunning || nowMs() < atRestMs) return;
      atRestMs = nowMs() + AT_REST_MS;
      start();
    },
    [Symbol.asyncDispose]: () => background[Symbol.asyncDispose](),
  };
}

interface Run {
  readonly use: UseSession;
  readonly signal: AbortSignal;
  readonly log: (differences: readonly Difference[]) => void;
}

/** Compares one sample, and stores the result. Stores nothing if there is nothing to compare, or if the index has rolled back meanwhile. */
async function prove(deps: ProofDeps, run: Run): Promise<void> {
  const { rules, writer, progress } = deps;
  const rows = await run.use((client) => withSnapshot(client, (session) => compareRows(deps, session)));
  if (!rows) return;
  try {
    const asked = deps.contractNode();
    const compared = combined([rows.compared, ...(await compareNode(deps, run, rows, asked))]);
    const differences = compared.differences.map((one) => redacted(one, asked.node.redact));
    const blockNumber = await writer.transaction((session) =>
      storeVerification(session, rules.chainId, rows.head, { ...compared, differences }),
    );
    if (blockNumber === undefined) return;
    progress.update({ verifiedBlockNumber: blockNumber, differingCount: compared.differing });
    run.log(differences);
  } catch (error) {
    if (!(error instanceof BlocksReplaced)) throw error;
  }
}

/** What was compared with stored data, and what is to be compared with the node. */
interface RowsCompared {
  /** What differed before. */
  readonly before: Repeated;
  readonly head: IndexedBlock;
  readonly compared: Compared;
  readonly blocks: readonly IndexedBlock[];
  readonly holders: readonly HolderBalance[];
  readonly nfts: readonly NftOwner[];
}

/** Null while the chain has no block, or while its rows are computed again. */
async function compareRows({ rules, random = Math.random }: ProofDeps, session: Session): Promise<RowsCompared | null> {
  const { chainId, rowsVersion } = rules;
  const head = await loadHead(session, chainId);
  if (head.blockNumber < 0 || head.rowsVersion !== rowsVersion) return null;
  if (head.rawSeq < (await lastSeq(session, chainId))) return null;
  const stored = await loadVerification(session, chainId);
  const repeated: Repeated = stored?.repeated ?? NOTHING_REPEATED;
  const runs = sampleBlocks({
    head: head.blockNumber,
    previous: stored?.blockNumber ?? -1,
    repeated: [...repeated.blocks, ...repeated.hashes],
    random,
  });
  const compared = [];
  for (const range of runs) compared.push(await compareRun(session, rules, range, head.blockNumber));
  const blocks = compared.flatMap((one) => one.blocks);
  const isComparable = compared.every(({ canCompareHoldings }) => canCompareHoldings);
  const tokens = isComparable ? await sampleTokens(session, chainId, blocks, repeated, random) : [];
  const holdings = isComparable
    ? await compareTokens(session, chainId, tokens)
    : { ...NOTHING_COMPARED, repeated: { ...NOTHING_REPEATED, tokens: repeated.tokens } };
  return {
    before: repeated,
    head: { number: head.blockNumber, hash: head.blockHash },
    compared: combined([...compared, holdings]),
    // The last block of each range names those before it.
    blocks: compared.flatMap((one) => one.blocks.slice(-1).map(({ number, hash }) => ({ number, hash }))),
    holders: await sampleHolders(session, chainId, blocks, repeated, random),
    nfts: await sampleNfts(session, chainId, blocks, repeated, random),
  };
}

const NOTHING_COMPARED: Compared = { checked: 0, differing: 0, differences: [], repeated: NOTHING_REPEATED };

async function compareTokens(session: Session, chainId: string, tokens: readonly string[]): Promise<Compared> {
  if (tokens.length === 0) return NOTHING_COMPARED;
  const { compared, gaps } = await compareHoldingsOf(session, chainId, tokens);
  return {
    checked: compared,
    differing: differingIn(gaps),
    differences: gaps.map((gap) => differenceOf(gap, "STORED_ROWS")),
    repeated: { ...NOTHING_REPEATED, tokens: gaps.length > 0 ? tokens : [] },
  };
}

async function compareNode(
  { rules, writer, pauseMs = 1_000 }: ProofDeps,
  { use, signal }: Run,
  rows: RowsCompared,
  { node, source }: AskedNode,
): Promise<Compared[]> {
  const { before, head, blocks, holders, nfts } = rows;
  const indexedHash = (number: number) =>
    writer.transaction(async (session) => (await indexedBlock(session, rules.chainId, number))?.hash ?? null);
  const hashes = await compareHashes({ source, indexedHash, differing: before.hashes, pauseMs, signal }, blocks);
  const answered = await askContracts(node, head, holders, nfts);
  const answers = { ...NOTHING_COMPARED, ...stillDiffering(answered, before), checked: answered.checked };
  if (answered.holders.length + answered.nfts.length === 0) return [hashes, answers];
  const events = await use((client) =>
    withSnapshot(client, (session) => compareWithEvents(session, rules, head.number, answered)),
  );
  return [hashes, answers, events];
}

/** What differed before, and what the node does not answer now. */
function stillDiffering({ unanswered }: ContractAnswers, before: Repeated): Pick<Compared, "differing" | "repeated"> {
  const holders = before.holders.filter(({ token, address }) =>
    unanswered.holders.some((one) => one.token === token && one.address === address),
  );
  const nfts = before.nfts.filter(({ token, tokenId }) =>
    unanswered.nfts.some((one) => one.token === token && one.tokenId === tokenId),
  );
  return { differing: holders.length + nfts.length, repeated: { ...NOTHING_REPEATED, holders, nfts } };
}
