import { Field, Float, ObjectType } from "type-graphql";
import { Integer } from "../../../core/scalars.ts";
import { addressText } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/store.ts";

@ObjectType({ description: "Owners of an output.", simpleResolvers: true })
export class OutputOwners {
  @Field(() => Integer, { description: "Until when it cannot be spent; 0: no such time." })
  locktime!: string;

  @Field(() => Float, { description: "How many of the addresses have to sign." })
  threshold!: number;

  @Field(() => [String], { description: "Addresses in Bech32, without a chain before them." })
  addresses!: string[];
}

/** Owners out of the JSON that a column has. */
export function parseOwners(network: Pick<ServedNetwork, "hrp">, json: string): OutputOwners {
  const { locktime, threshold, addresses } = JSON.parse(json) as {
    readonly locktime: string;
    readonly threshold: number;
    readonly addresses: readonly string[];
  };
  return { locktime, threshold, addresses: addresses.map((address) => addressText(network, `0x${address}`)) };
}
