import { messageOf } from "../../../core/errors/errors.ts";
import type { Redact } from "../../../core/errors/redaction.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { createBackground, type UseSession } from "../../shared/background.ts";
import type { MaintenanceSession } from "../../shared/maintenance-session.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Progress } from "../../shared/progress.ts";
import { createDifferenceLog, type Difference, lastDifferenceText, redacted } from "../../shared/verification.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import type { NetworkFacts } from "../network/network.ts";
import type { ComparisonDeps } from "../verify/comparison.ts";
import type { AskedNode } from "../verify/node.ts";
import { compareAtRest, type Part, partsOf } from "./parts.ts";
import { chooseSample, EMPTY_SAMPLE, type Sample } from "./sample.ts";

/** Compares samples of a primary network's rows with its node, in the background. */
export interface PrimaryProof {
  /** Tells that a chain has reached the node's head. May be called any number of times. Returns at once. */
  atHead(network: NetworkFacts): void;
}

export interface PrimaryProofDeps {
  readonly networkId: number;
  readonly session: MaintenanceSession;
  readonly node: AskedNode;
  readonly redact: Redact;
  readonly writer: Pick<Writer, "transaction">;
  readonly progress: Readonly<Record<PrimaryChain, Pick<Progress, "update">>>;
  readonly logger: Logger;
  readonly isOn: boolean;
  /** Aborts when the network is not indexed any more. */
  readonly signal: AbortSignal;
  /** Default: the clock of the process. */
  readonly nowMs?: () => number;
  /** Pause before a part is compared again. Default: one second. */
  readonly pauseMs?: number;
  /** Called when a comparison has ended, also if it has no result. Default: nothing. */
  readonly onEnd?: () => void;
}

const EVERY_MS = 10 * 60_000;

/**
 * A comparison is due when a chain reaches the node's head, and then every ten minutes. A difference is stored, shown in the progress and
 * logged once; the indexing goes on. A part for which the index and the node do not stay at the same height is left out.
 */
export function createPrimaryProof(deps: PrimaryProofDeps): PrimaryProof & AsyncDisposable {
  const { session, networkId, logger, isOn, nowMs = performance.now.bind(performance) } = deps;
  const background = createBackground(session);
  const log = createDifferenceLog(logger, { networkId: String(networkId) });
  let dueMs = Number.NEGATIVE_INFINITY;
  return {
    atHead(network) {
      if (!isOn || background.isRunning || nowMs() < dueMs) return;
      dueMs = nowMs() + EVERY_MS;
      background.start(
        async (use) => {
          await prove(deps, { network, use, signal: background.signal }).then(log, ignoreUnavailable);
          deps.onEnd?.();
        },
        (error) => {
          if (deps.signal.aborted) return;
          logger.warn({ networkId, err: error }, `samples of the rows could not be compared: ${messageOf(error)}`);
        },
      );
    },
    [Symbol.asyncDispose]: () => background[Symbol.asyncDispose](),
  };
}

/** The followed chains wait for the node, with the reason. */
function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof NodeUnavailable)) throw error;
}

interface Run {
  readonly network: NetworkFacts;
  readonly use: UseSession;
  readonly signal: AbortSignal;
}

interface ChainResult {
  checked: number;
  /** Number of parts that differed before, and that could not be compared now. */
  unanswered: number;
  readonly differences: Difference[];
  readonly repeated: Sample[];
}

/** Compares one sample, stores the results of the chains of which something was compared, and returns the differences. */
async function prove(deps: PrimaryProofDeps, { network, use, signal }: Run): Promise<readonly Difference[]> {
  const { node, writer, progress, networkId, redact, pauseMs = 1_000 } = deps;
  // The session is used for each statement alone, so that other work of the process does not wait for the node.
  const query = ((text: string, values?: unknown[]) =>
    use((client) => client.query(text, values))) as ComparisonDeps["pool"]["query"];
  const compared: ComparisonDeps = { pool: { query }, network, node };
  const heads = await indexedHeads(compared);
  const chains = [...heads.keys()];
  const repeated = await loadRepeated(compared);
  const parts = partsOf(await chooseSample(compared, combined([...repeated.values()])), chains);
  const results = new Map<PrimaryChain, ChainResult>();
  for (const part of parts.filter(({ chain }) => heads.has(chain))) {
    const found = await compareAtRest(compared, part, { ms: pauseMs, signal });
    const isRepeated = shares(part.sample, repeated.get(part.chain) ?? EMPTY_SAMPLE);
    if (!isRepeated && (found?.compared ?? 0) === 0) continue;
    const result = results.get(part.chain) ?? { checked: 0, unanswered: 0, differences: [], repeated: [] };
    results.set(part.chain, result);
    if (!found) result.unanswered++;
    if (!found || found.differences.length > 0) result.repeated.push(part.sample);
    if (!found) continue;
    result.checked += found.compared;
    result.differences.push(...found.differences.map((one) => redacted(differenceOf(part, one), redact)));
  }
  for (const [chain, result] of results) {
    const text = (session: Session) =>
      storeResult(session, networkId, { chain, head: heads.get(chain) ?? 0, ...result });
    const verifiedBlockNumber = await writer.transaction(text);
    if (verifiedBlockNumber !== undefined)
      progress[chain].update({ verifiedBlockNumber, differingCount: differingOf(result) });
  }
  return [...results.values()].flatMap(({ differences }) => differences);
}

const differingOf = ({ differences, unanswered }: ChainResult): number => differences.length + unanswered;

/** Whether two samples have something in common. */
const shares = (one: Sample, other: Sample): boolean =>
  KINDS.some((kind) => one[kind].some((id) => other[kind].includes(id)));

function differenceOf(
  { name }: Part,
  { what, indexed, node }: { readonly what: string; readonly indexed: string; readonly node: string },
): Difference {
  return { comparedWith: "NODE", table: name, key: what, indexed: indexed.slice(0, 300), expected: node.slice(0, 300) };
}

/** Heights of the last indexed blocks, of the chains that have any. */
async function indexedHeads({ pool, network }: ComparisonDeps): Promise<Map<PrimaryChain, number>> {
  const { rows } = await pool.query<{ chain: PrimaryChain; block_number: string }>(
    "SELECT chain, block_number FROM primary_heads WHERE network_id = $1 AND raw_seq >= 0",
    [network.networkId],
  );
  return new Map(rows.map(({ chain, block_number }) => [chain, Number(block_number)]));
}

/** What differed in the last comparison, by chain. */
async function loadRepeated({ pool, network }: ComparisonDeps): Promise<ReadonlyMap<PrimaryChain, Sample>> {
  const { rows } = await pool.query<{ chain: PrimaryChain; repeated: string }>(
    "SELECT chain, repeated FROM primary_verifications WHERE network_id = $1",
    [network.networkId],
  );
  return new Map(rows.map(({ chain, repeated }) => [chain, JSON.parse(repeated) as Sample]));
}

const KINDS = Object.keys(EMPTY_SAMPLE) as (keyof Sample)[];
/** Things of one kind that the next comparison includes again. */
const MAX_REPEATED = 5;

function combined(samples: readonly Sample[]): Sample {
  const all = (kind: keyof Sample) => [...new Set(samples.flatMap((one) => one[kind]))].slice(0, MAX_REPEATED);
  return {
    subnets: all("subnets"),
    nodes: all("nodes"),
    validations: all("validations"),
    owners: all("owners"),
  };
}

const STORE = `INSERT INTO primary_verifications AS v
    (network_id, chain, block_number, verified_at, checked_count, differing_count, repeated, last_difference)
  SELECT $1, $2, CASE WHEN $5 = 0 THEN $3::bigint END, extract(epoch FROM now())::bigint, $4, $5::bigint, $6, $7
  FROM primary_heads WHERE network_id = $1 AND chain = $2 AND block_number >= $3
  ON CONFLICT (network_id, chain) DO UPDATE SET block_number = coalesce(excluded.block_number, v.block_number),
    verified_at = excluded.verified_at, checked_count = excluded.checked_count, differing_count = excluded.differing_count,
    repeated = excluded.repeated, last_difference = coalesce(excluded.last_difference, v.last_difference)
  RETURNING block_number`;

/** Stores nothing, and returns undefined, if the chain's rows were deleted meanwhile. */
async function storeResult(
  session: Session,
  networkId: number,
  result: ChainResult & { readonly chain: PrimaryChain; readonly head: number },
): Promise<number | null | undefined> {
  const { chain, head, checked, differences, repeated } = result;
  const values = [networkId, chain, head, checked, differingOf(result)];
  const [row] = await session.query<{ block_number: string | null }>(STORE, [
    ...values,
    JSON.stringify(combined(repeated)),
    lastDifferenceText(differences),
  ]);
  if (!row) return undefined;
  return row.block_number === null ? null : Number(row.block_number);
}
