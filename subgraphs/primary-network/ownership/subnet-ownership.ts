import { Field, Float, ObjectType } from "type-graphql";
import { Integer } from "../../../core/scalars.ts";
import { addressText } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/store.ts";

@ObjectType({ description: "Who owns a subnet.", simpleResolvers: true })
export class SubnetOwnershipInfo {
  @Field(() => Integer, { description: "Until when nothing can be done with it; 0: no such time." })
  locktime!: string;

  @Field(() => Float, { description: "How many of the addresses have to sign." })
  threshold!: number;

  @Field(() => [String], { description: "Addresses in Bech32, without a chain before them." })
  addresses!: string[];
}

@ObjectType({ description: "What manages the validators of an L1.", simpleResolvers: true })
export class L1ValidatorManagerDetails {
  @Field(() => String, { description: "Id of the chain that the contract is on, in CB58." })
  blockchainId!: string;

  @Field(() => String, { description: "Address of the contract, as `0x` and hex digits." })
  contractAddress!: string;
}

/** An owner as statements give one; addresses in `0x` hex. */
export function ownershipInfo(
  network: Pick<ServedNetwork, "hrp">,
  owner: {
    readonly locktime: string;
    readonly threshold: number | string;
    readonly addresses: readonly string[];
  },
): SubnetOwnershipInfo {
  const { locktime, threshold, addresses } = owner;
  return {
    locktime,
    threshold: Number(threshold),
    addresses: addresses.map((address) => addressText(network, address)),
  };
}
