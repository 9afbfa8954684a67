import { Field, ObjectType } from "type-graphql";
import { Integer, Quantity } from "../../../core/graph/scalars.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { addressText } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/served-network.ts";

@ObjectType({ description: "Owner of a subnet." })
export class SubnetOwnershipInfo {
  network!: NetworkName;

  @Field(() => Quantity, { description: "Time until which the owner cannot act, in seconds. 0: not locked." })
  locktime!: string;

  @Field(() => Integer, { description: "Number of addresses whose signatures are required." })
  threshold!: number;

  @Field(() => [String], { description: "Bech32 addresses, without a chain prefix." })
  addresses!: string[];
}

@ObjectType({ description: "Contract that manages the validators of an L1." })
export class L1ValidatorManagerDetails {
  network!: NetworkName;

  @Field(() => String, { description: "Blockchain ID of the contract's chain, in CB58." })
  blockchainId!: string;

  @Field(() => String, { description: "Contract address as `0x` hex." })
  contractAddress!: string;
}

/** Owner in the API's form; `addresses` are `0x` hex. */
export function ownershipInfo(
  network: Pick<ServedNetwork, "hrp" | "network">,
  owner: {
    readonly locktime: string;
    readonly threshold: number | string;
    readonly addresses: readonly string[];
  },
): SubnetOwnershipInfo {
  const { locktime, threshold, addresses } = owner;
  return {
    network: network.network,
    locktime,
    threshold: Number(threshold),
    addresses: addresses.map((address) => addressText(network, address)),
  };
}
