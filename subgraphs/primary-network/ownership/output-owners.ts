import { Field, ObjectType } from "type-graphql";
import { Integer, Quantity } from "../../../core/graph/scalars.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { addressText } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/served-network.ts";

@ObjectType({ description: "Owners of an output." })
export class OutputOwners {
  network!: NetworkName;

  @Field(() => Quantity, { description: "Time until which the output cannot be spent, in seconds. 0: not locked." })
  locktime!: string;

  @Field(() => Integer, { description: "Number of owners whose signatures are required." })
  threshold!: number;

  @Field(() => [String], { description: "Bech32 addresses, without a chain prefix." })
  addresses!: string[];
}

/** Parses owners from their JSON column. */
export function parseOwners(network: Pick<ServedNetwork, "hrp" | "network">, json: string): OutputOwners {
  const { locktime, threshold, addresses } = JSON.parse(json) as {
    readonly locktime: string;
    readonly threshold: number;
    readonly addresses: readonly string[];
  };
  return {
    network: network.network,
    locktime,
    threshold,
    addresses: addresses.map((address) => addressText(network, `0x${address}`)),
  };
}
