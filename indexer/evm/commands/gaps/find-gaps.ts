import { tryBecomeWriter, type Writer } from "../../../shared/writer.ts";
import { canCompareHoldings, compareHoldings } from "../../compare/compare-holdings.ts";
import { canCompareMessages, compareMessages } from "../../compare/compare-messages.ts";
import { type Gap, type GapsFound, rawGap } from "../../compare/gap.ts";
import { storedCapability } from "../../store/capabilities.ts";
import { loadHead } from "../../store/head.ts";
import { createFirstPartitions } from "../../store/partitions-on-demand.ts";
import { untracedRanges } from "../../store/untraced-ranges.ts";
import { asWriter, type CommandDeps, CommandRefused, createThrottledReport } from "../command.ts";
import { fetchMissingBlocks, fetchMissingTraces } from "./fetch-missing.ts";
import { PAGE, requireComplete, type Scan, scanPage } from "./scan.ts";

/**
 * Compares the rows of every block, from genesis to the head, with the rows that the raw blocks give, then the holders, supplies and
 * counters with the balances and transfers, and the interchain messages with their events. The figures of periods and addresses are not
 * compared. With `repair`, also replaces wrong rows, fetches missing blocks and call trees from the node, and records call trees that the
 * node refuses as missing. Rejects with `CommandRefused` if the rows must be replayed first, while another process runs the same command,
 * and with `repair` also while an indexer or a backfill writes the chain.
 */
export async function findGaps(deps: CommandDeps, repair: boolean): Promise<GapsFound> {
  const { url, rules } = deps;
  const { chainId } = rules;
  await using reader = await tryBecomeWriter(url, `${chainId} ${repair ? "backfill" : "gaps"}`);
  const activity = repair ? `a backfill of chain ${chainId}` : `a search for gaps in chain ${chainId}`;
  if (!reader) throw new CommandRefused(`another process runs ${activity}: run the command again when it has ended`);
  const gaps = repair
    ? await asWriter(url, chainId, (writer) => scanChain(deps, writer, true))
    : await scanChain(deps, reader, false);
  return reader.transaction(async (session) => ({
    gaps,
    traces: await storedCapability(session, chainId, "traces"),
    untraced: await untracedRanges(session, chainId),
  }));
}

async function scanChain(deps: CommandDeps, writer: Writer, repair: boolean): Promise<Gap[]> {
  const { rules, signal } = deps;
  const { chainId } = rules;
  if (repair) await createFirstPartitions(writer, chainId);
  let scan: Scan = { rules, repair, blockNumber: -1, transactions: 0, wrongBalances: new Map() };
  const gaps: Gap[] = [];
  const report = createThrottledReport(deps.report);
  for (;;) {
    signal.throwIfAborted();
    if (repair) gaps.push(...(await fetchPage(deps, writer, scan.blockNumber + 1)));
    const page = await writer.transaction(async (session) => {
      // An indexer may be writing: all statements must see the same snapshot.
      if (!repair) await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      return scanPage(session, scan);
    });
    if (!page) {
      deps.report(
        scan.blockNumber < 0
          ? `chain ${chainId}: no block is indexed`
          : `chain ${chainId}: checked all blocks up to ${scan.blockNumber}`,
      );
      const holdings = await holdingGaps(writer, chainId, gaps, repair);
      return [...gaps, ...holdings, ...(await messageGaps(writer, chainId, gaps, repair))];
    }
    scan = page.scan;
    gaps.push(...page.gaps);
    report(() => `chain ${chainId}: checked blocks up to ${scan.blockNumber} of ${page.head}, ${gaps.length} gaps`);
  }
}

/** Compares holders, supplies and counters, unless the rows from which they are computed are wrong and not repaired. */
async function holdingGaps(writer: Writer, chainId: string, gaps: readonly Gap[], repair: boolean): Promise<Gap[]> {
  if (!canCompareHoldings(gaps)) return [];
  return writer.transaction((session) => compareHoldings(session, chainId, repair));
}

/** Compares interchain messages, unless their events are wrong and not repaired. */
async function messageGaps(writer: Writer, chainId: string, gaps: readonly Gap[], repair: boolean): Promise<Gap[]> {
  if (!canCompareMessages(gaps)) return [];
  return compareMessages(writer, chainId, repair);
}

/** Fetches the raw data that the next page of blocks lacks. */
async function fetchPage(deps: CommandDeps, writer: Writer, from: number): Promise<Gap[]> {
  const { rules } = deps;
  const head = await writer.transaction(async (session) => {
    const loaded = await loadHead(session, rules.chainId);
    await requireComplete(session, rules, loaded);
    return loaded;
  });
  const range = { from, to: Math.min(head.blockNumber, from + PAGE - 1) };
  const blocks = await fetchMissingBlocks(deps, writer, range);
  const { fetched, refused } = await fetchMissingTraces(deps, writer, range);
  return [
    ...blocks.map((number) => rawGap("raw_blocks", number, true)),
    ...fetched.map((number) => rawGap("raw_traces", number, true)),
    ...refused.map((number) => rawGap("raw_traces", number, false)),
  ];
}
