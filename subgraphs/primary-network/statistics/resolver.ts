import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import type { Failure } from "../../../core/errors/errors.ts";
import { notIndexed } from "../../shared/not-indexed.ts";
import type { PrimaryContext } from "../context.ts";
import type { Loaders } from "../loaders.ts";
import { PrimaryNetwork } from "../networks/types.ts";
import type { RewardOutlook } from "../stakers/reward-estimates.ts";
import { stakingFigures } from "./staking-figures.ts";
import { PrimaryNetworkActivityArgs, PrimaryNetworkActivityConnection, PrimaryNetworkStatistics } from "./types.ts";

const UNINDEXED = "Null, with the error `UNAVAILABLE`, until the first block of the P-Chain is indexed.";

@Resolver(() => PrimaryNetwork)
export class PrimaryNetworkStatisticsResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => PrimaryNetworkStatistics, {
    nullable: true,
    description: `Stake, reward rates, supply, subnets and L1s after the last indexed block. ${UNINDEXED}`,
  })
  async statistics(
    @Root() { network, networkId }: PrimaryNetwork,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<PrimaryNetworkStatistics> {
    await networks.require(network, "P");
    const [row, outlook] = await Promise.all([load.networkStatistics({ networkId }), outlookOf(networkId, load)]);
    if (!row || !outlook) throw await notComputed(network, networkId, load);
    const { blockNumber, stateTimestamp, l1ValidatorBalance } = row;
    return {
      ...stakingFigures(row, outlook),
      network,
      blockNumber,
      blockTimestamp: stateTimestamp,
      l1ValidatorBalance,
    };
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => PrimaryNetworkActivityConnection, {
    nullable: true,
    description: `List the activity of the P-, X- and C-Chain by hour, day, week or month, with stake, rewards, supply, subnets and L1s, newest first. ${UNINDEXED}`,
  })
  async activity(
    @Root() { network, networkId }: PrimaryNetwork,
    @Args(() => PrimaryNetworkActivityArgs) args: PrimaryNetworkActivityArgs,
    @Ctx() { networks, activityPage, load }: PrimaryContext,
  ): Promise<PrimaryNetworkActivityConnection> {
    await networks.require(network, "P");
    const computed = async <Value>(found: Promise<Value | null>): Promise<Value> => {
      const value = await found;
      if (value === null) throw await notComputed(network, networkId, load);
      return value;
    };
    return activityPage(networkId, args, {
      activity: (key) => computed(load.networkActivity(key)),
      outlook: () => computed(outlookOf(networkId, load)),
    });
  }
}

const PRIMARY_SUBNET = `0x${"00".repeat(32)}`;

/** A database of an earlier version has blocks, but no figures until its rows are computed again. */
async function notComputed(network: string, networkId: string, { networkIndexing }: Loaders): Promise<Failure> {
  const chains = (await networkIndexing({ networkId }))?.chains ?? [];
  const { state, reason } = chains.find(({ key }) => key.chain === "P") ?? { state: null, reason: null };
  return notIndexed(`the activity of network ${network}`, { state, reason });
}

/** The rules for rewards on the primary network. */
function outlookOf(networkId: string, { rewardOutlook }: Loaders): Promise<RewardOutlook | null> {
  return rewardOutlook({ networkId, subnetId: PRIMARY_SUBNET });
}
