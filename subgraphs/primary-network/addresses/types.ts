import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";

@ObjectType({
  description:
    "An address of a primary network, the same on the P-, X- and C-Chain. Every address exists, even if nothing is known of it.",
})
@Directive('@key(fields: "network address")')
export class PrimaryNetworkAddress {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "The address in Bech32, without a chain prefix." })
  address!: string;
}

@ArgsType()
export class PrimaryNetworkAddressArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Bech32 address, optionally with a chain prefix such as `P-`." })
  address!: string;
}

/** Arguments of a nested list of what an address has on one chain. */
@ArgsType()
export class OnChainArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => String, { description: "`p-chain`, `x-chain`, `c-chain`, or a blockchain ID as CB58 or hex." })
  blockchainId!: string;
}
