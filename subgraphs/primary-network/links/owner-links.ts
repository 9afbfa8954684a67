import { FieldResolver, Resolver, Root } from "type-graphql";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { PrimaryNetworkAddress } from "../addresses/types.ts";
import { Delegator } from "../delegators/types.ts";
import { BalanceOwner } from "../l1-validators/types.ts";
import { OutputOwners } from "../ownership/output-owners.ts";
import { SubnetOwnershipInfo } from "../ownership/subnet-ownership.ts";
import { HistoricalReward } from "../rewards/types.ts";
import { Subnet } from "../subnets/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { PrimaryNetworkUtxo } from "../utxos/types.ts";
import { ValidatorRewards } from "../validators/types.ts";

interface InNetwork {
  readonly network: NetworkName;
}

interface WithAddresses extends InNetwork {
  readonly addresses: readonly string[];
}

interface WithRewardAddresses extends InNetwork {
  readonly rewardAddresses: readonly string[] | null;
}

function entitiesOf(network: NetworkName, addresses: readonly string[]): PrimaryNetworkAddress[] {
  return addresses.map((address) => ({ network, address }));
}

/** Makes the resolver class of the field `owners` of a type, which reads nothing. */
function linkToOwners(Type: new () => WithAddresses) {
  @Resolver(() => Type)
  class OwnerLinks {
    @FieldResolver(() => [PrimaryNetworkAddress], { description: "The addresses with all that they own." })
    owners(@Root() { network, addresses }: WithAddresses): PrimaryNetworkAddress[] {
      return entitiesOf(network, addresses);
    }
  }
  return OwnerLinks;
}

/** Makes the resolver class of the field `rewardOwners` of a type, which reads nothing. */
function linkToRewardOwners(Type: new () => WithRewardAddresses) {
  @Resolver(() => Type)
  class RewardOwnerLinks {
    @FieldResolver(() => [PrimaryNetworkAddress], {
      nullable: true,
      description: "The addresses `rewardAddresses` with all that they own. Null if `rewardAddresses` is null.",
    })
    rewardOwners(@Root() { network, rewardAddresses }: WithRewardAddresses): PrimaryNetworkAddress[] | null {
      return rewardAddresses && entitiesOf(network, rewardAddresses);
    }
  }
  return RewardOwnerLinks;
}

@Resolver(() => Subnet)
class SubnetOwnerLinks {
  @FieldResolver(() => [PrimaryNetworkAddress], {
    description: "The addresses `ownerAddresses` with all that they own.",
  })
  owners(@Root() { network, ownerAddresses }: Subnet): PrimaryNetworkAddress[] {
    return entitiesOf(network, ownerAddresses);
  }
}

/** The links to addresses of primary networks. */
export const OWNER_LINKS = [
  ...[PrimaryNetworkUtxo, OutputOwners, SubnetOwnershipInfo, BalanceOwner, HistoricalReward].map(linkToOwners),
  ...[Delegator, ValidatorRewards, PrimaryNetworkTransaction].map(linkToRewardOwners),
  SubnetOwnerLinks,
];
