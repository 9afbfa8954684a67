import type { Comparison } from "./answers.ts";
import { compare } from "./compare.ts";
import { CHAIN_ID, type Subject } from "./database.ts";
import { createTarget, get, type Load, postOperation } from "./load.ts";
import { startGuardSide } from "./start-server.ts";

/** The differences are smaller than those between two rounds, so there are many of them. */
const ROUNDS = 100;

/**
 * Compares the processor time of Moraine with and without its guards, for light requests, for which they cost most: with those that are
 * always on, and also with limits for callers and metrics.
 */
export async function compareGuards(
  url: string,
  { address, evmChains, primaryNetworks }: Subject,
): Promise<Comparison[]> {
  const input = { kind: "moraine", url, evmChains, primaryNetworks } as const;
  await using without = await startGuardSide("without-guards", input);
  await using always = await startGuardSide("with-guards", input);
  await using all = await startGuardSide("with-guards", { ...input, hasAllGuards: true });
  await using withoutTarget = createTarget(without.url);
  await using alwaysTarget = createTarget(always.url);
  await using allTarget = createTarget(all.url);
  const comparisons: Comparison[] = [];
  for (const [name, load] of Object.entries(requests(address)))
    comparisons.push({
      name,
      figures: await compare(
        [
          { name: "without guards", server: without, target: withoutTarget, load },
          { name: "with those that are always on", server: always, target: alwaysTarget, load },
          { name: "also with limits and metrics", server: all, target: allTarget, load },
        ],
        ROUNDS,
      ),
    });
  return comparisons;
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
