import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Hex } from "../../../core/scalars.ts";
import type { NetworkName } from "../../shared/network-name.ts";
import type { PrimaryContext } from "../context.ts";
import { UtxoCredential } from "../credentials/types.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { utxoBytes } from "./serialise.ts";
import { PrimaryNetworkUtxo, PrimaryNetworkUtxoArgs } from "./types.ts";

@Resolver(() => PrimaryNetworkUtxo)
export class PrimaryNetworkUtxoResolver {
  @Query(() => PrimaryNetworkUtxo, { nullable: true, description: "One output; null when it is not indexed." })
  async primaryNetworkUtxo(
    @Args(() => PrimaryNetworkUtxoArgs) args: PrimaryNetworkUtxoArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<PrimaryNetworkUtxo | null> {
    const { network } = await networks.find(args.network);
    return load.utxo({ network, utxoId: parseIdParameter("utxoId", args.utxoId) });
  }

  @FieldResolver(() => Hex, {
    nullable: true,
    description:
      "Its bytes as nodes give them, with their checksum; null while an import is indexed and the export before it is not.",
  })
  utxoBytes(@Root() { row }: PrimaryNetworkUtxo): string | null {
    return utxoBytes(row);
  }

  @FieldResolver(() => [UtxoCredential], {
    nullable: true,
    description:
      "Signatures by which it was consumed, in the order of the signers; empty where none is needed, as for a stake that comes back. Null: it is not consumed, or by a transaction whose raw block is not at hand, as on a C-Chain that is not served as an EVM chain.",
  })
  async credentials(
    @Root() { network, utxoId, consumingTxHash, row }: PrimaryNetworkUtxo,
    @Ctx() { load }: PrimaryContext,
  ): Promise<readonly UtxoCredential[] | null> {
    if (consumingTxHash === null) return null;
    const found = await load.credentials({ network, txHash: consumingTxHash, input: utxoId, owners: row.addresses });
    return found?.credentials ?? null;
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "The transaction that it is an output of; null of the genesis.",
  })
  transaction(
    @Root() { network, txHash }: PrimaryNetworkUtxo,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> {
    return load.transaction({ network, txHash });
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "The transaction that consumed it; null: none did.",
  })
  consumingTransaction(
    @Root() { network, consumingTxHash }: PrimaryNetworkUtxo,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> | null {
    return consumingTxHash === null ? null : load.transaction({ network, txHash: consumingTxHash });
  }
}

/** Takes the place of the class's resolver: a page has thousands of outputs. */
export const resolveUtxoBytes = ({ row }: PrimaryNetworkUtxo): string | null => utxoBytes(row);

/** The output that another subgraph names. */
export async function resolveUtxoReference(
  key: { readonly network: NetworkName; readonly utxoId: unknown },
  { networks, load }: PrimaryContext,
): Promise<PrimaryNetworkUtxo | null> {
  const found = await networks.get(key.network);
  return found && load.utxo({ network: found.network, utxoId: parseIdParameter("utxoId", String(key.utxoId)) });
}
