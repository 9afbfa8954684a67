import type { Comparison } from "./answers.ts";
import type { Child } from "./child.ts";
import { type Candidate, compareRounds, type Figures, measureRounds, type Round } from "./compare.ts";
import { CHAIN_ID, type Subject } from "./database.ts";
import { createTarget, get, type Load, postOperation, type Target } from "./load.ts";
import { startGuardSide } from "./start-server.ts";

/** How often each pair of servers is started: servers of the same code differ from start to start by more than the guards cost. */
const STARTS = 4;
/**
 * For each start and request. After a pause, a server needs more time for its first requests, and the more code it has, the longer. The rounds are so
 * long that these requests hardly change the result.
 */
const ROUNDS = { count: 8, ms: 500 };

interface Side {
  readonly name: string;
  readonly bundle: "with-guards" | "without-guards";
  readonly hasLimits?: boolean;
  readonly hasMetrics?: boolean;
}

const WITHOUT: Side = { name: "without guards", bundle: "without-guards" };
const OTHERS: readonly Side[] = [
  // The control: its difference from the same code is the error of the measurement.
  { name: "without guards, again", bundle: "without-guards" },
  { name: "with those that are always on", bundle: "with-guards" },
  { name: "also with limits", bundle: "with-guards", hasLimits: true },
  { name: "also with metrics", bundle: "with-guards", hasLimits: true, hasMetrics: true },
];

/** The rounds of a request, of both servers of each pair. */
interface PairRounds {
  readonly without: Round[];
  readonly other: Round[];
}

/**
 * Compares the processor time of Moraine with and without its guards, for light requests, for which they cost most: with those that are
 * always on, also with limits for callers, and also with metrics, which refuse nothing. Two servers run at a time: more would displace one another's
 * code from the caches of the processor. The order of the two changes with every start, since the server that is started and measured first
 * needs more time than an equal one.
 */
export async function compareGuards(
  url: string,
  { address, evmChains, primaryNetworks }: Subject,
): Promise<Comparison[]> {
  const input = { kind: "moraine", url, evmChains, primaryNetworks } as const;
  const measured = Object.entries(requests(address)).map(([name, load]) => ({
    name,
    load,
    pairs: OTHERS.map((): PairRounds => ({ without: [], other: [] })),
  }));
  for (let start = 0; start < STARTS; start++)
    for (const [at, other] of OTHERS.entries()) {
      const sides = start % 2 === 0 ? [WITHOUT, other] : [other, WITHOUT];
      const servers = await Promise.all(
        sides.map(({ name: _, bundle, ...guards }) => startGuardSide(bundle, { ...input, ...guards })),
      );
      const targets = servers.map(({ url: serverUrl }) => createTarget(serverUrl));
      for (const { load, pairs } of measured) {
        const candidates = sides.map(({ name }, place): Candidate => {
          return { name, load, server: servers[place] as Child, target: targets[place] as Target };
        });
        const rounds = await measureRounds(candidates, ROUNDS);
        pairs[at]?.without.push(...(rounds[sides.indexOf(WITHOUT)] ?? []));
        pairs[at]?.other.push(...(rounds[sides.indexOf(other)] ?? []));
      }
      for (const one of [...targets, ...servers]) await one[Symbol.asyncDispose]();
    }
  return measured.map(({ name, pairs }) => ({ name, figures: pairs.flatMap(figuresOfPair) }));
}

/** Figures of both servers for the first pair, and of the second server for the others. */
function figuresOfPair({ without, other }: PairRounds, at: number): Figures[] {
  const figures = compareRounds([WITHOUT.name, OTHERS[at]?.name ?? ""], [without, other]);
  return at === 0 ? figures : figures.slice(1);
}

function requests(address: string): Readonly<Record<string, Load>> {
  const chain = `/v1/chains/${CHAIN_ID}`;
  const transfers = (pageSize: number) => `${chain}/addresses/${address}/transactions:listErc20?pageSize=${pageSize}`;
  return {
    "one chain": get(chain),
    "E9, 10 rows": get(transfers(10)),
    "E9, 100 rows": get(transfers(100)),
    "E9, 10 rows, POST /graphql": postOperation("list-erc20-transfers", { chainId: CHAIN_ID, address, pageSize: 10 }),
  };
}
