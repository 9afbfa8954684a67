import type { Comparison } from "./answers.ts";
import type { Child } from "./child.ts";
import { type Candidate, compareRounds, measureRounds, type Round } from "./compare.ts";
import { CHAIN_ID, type Subject } from "./database.ts";
import { createTarget, get, type Load, postOperation, type Target } from "./load.ts";
import { startGuardSide } from "./start-server.ts";

/**
 * For each start and request. After a pause, a server needs more time for its first requests, and the more code it has, the longer: the rounds are
 * long enough that these do not decide.
 */
const ROUNDS = { count: 8, ms: 500 };

interface Side {
  readonly name: string;
  readonly bundle: "with-guards" | "without-guards";
  readonly hasLimits?: boolean;
  readonly hasMetrics?: boolean;
}

const SIDES: readonly Side[] = [
  { name: "without guards", bundle: "without-guards" },
  // The control: what differs between these two is the error of the measurement.
  { name: "without guards, again", bundle: "without-guards" },
  { name: "with those that are always on", bundle: "with-guards" },
  { name: "also with limits", bundle: "with-guards", hasLimits: true },
  { name: "also with metrics", bundle: "with-guards", hasLimits: true, hasMetrics: true },
];

/**
 * Compares the processor time of Moraine with and without its guards, for light requests, for which they cost most: with those that are
 * always on, also with limits for callers, and also with metrics, which refuse nothing. Servers of the same code differ from start to start by
 * more than the guards cost, and the server that is started and measured first needs more time than an equal one. So each side is started once at
 * each place of the order.
 */
export async function compareGuards(
  url: string,
  { address, evmChains, primaryNetworks }: Subject,
): Promise<Comparison[]> {
  const input = { kind: "moraine", url, evmChains, primaryNetworks } as const;
  const measured = Object.entries(requests(address)).map(([name, load]) => ({
    name,
    load,
    rounds: SIDES.map((): Round[] => []),
  }));
  for (let start = 0; start < SIDES.length; start++) {
    const order = SIDES.map((_, position) => (position + start) % SIDES.length);
    const sides = order.map((at) => SIDES[at] as Side);
    const servers = await Promise.all(
      sides.map(({ name: _, bundle, ...guards }) => startGuardSide(bundle, { ...input, ...guards })),
    );
    const targets = servers.map(({ url: serverUrl }) => createTarget(serverUrl));
    for (const { load, rounds } of measured) {
      const candidates = sides.map(({ name }, position): Candidate => {
        return { name, load, server: servers[position] as Child, target: targets[position] as Target };
      });
      const added = await measureRounds(candidates, ROUNDS);
      for (const [position, at] of order.entries()) rounds[at]?.push(...(added[position] ?? []));
    }
    for (const one of [...targets, ...servers]) await one[Symbol.asyncDispose]();
  }
  const names = SIDES.map(({ name }) => name);
  return measured.map(({ name, rounds }) => ({ name, figures: compareRounds(names, rounds) }));
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
