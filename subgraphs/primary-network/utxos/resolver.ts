import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Hex } from "../../../core/graph/scalars.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import type { PrimaryContext } from "../context.ts";
import { UtxoCredential } from "../credentials/types.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { parseAddresses } from "../networks/addresses.ts";
import { findChain } from "../networks/chains.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { utxosFromRows } from "./from-row.ts";
import type { UtxoFilter } from "./of-address.ts";
import { OutputKind } from "./output-kind.ts";
import { utxoBytes } from "./serialise.ts";
import {
  PrimaryNetworkUtxo,
  PrimaryNetworkUtxoArgs,
  PrimaryNetworkUtxoConnection,
  PrimaryNetworkUtxosArgs,
} from "./types.ts";

@Resolver(() => PrimaryNetworkUtxo)
export class PrimaryNetworkUtxoResolver {
  @Query(() => PrimaryNetworkUtxo, {
    nullable: true,
    description:
      "One UTXO by ID. Null if it is not indexed. If it is not found and some chain of the network has no indexed block yet, it may be on that chain, and the request fails with `UNAVAILABLE`.",
  })
  async primaryNetworkUtxo(
    @Args(() => PrimaryNetworkUtxoArgs) args: PrimaryNetworkUtxoArgs,
    @Ctx() context: PrimaryContext,
  ): Promise<PrimaryNetworkUtxo | null> {
    return utxoById(await context.networks.require(args.network), parseIdParameter("utxoId", args.utxoId), context);
  }

  @Query(() => PrimaryNetworkUtxoConnection, {
    description:
      "Outputs of an address, newest first by default, also those that it shares with others. Fails with `UNAVAILABLE` until the first block of each chain that is listed is indexed.",
  })
  async primaryNetworkUtxos(
    @Args(() => PrimaryNetworkUtxosArgs) args: PrimaryNetworkUtxosArgs,
    @Ctx() { networks, utxosOfAddress, assets, work }: PrimaryContext,
  ): Promise<PrimaryNetworkUtxoConnection> {
    const { blockchainIds, state } = args.filter ?? {};
    const network = await networks.require(args.network);
    const named = (blockchainIds ?? []).map((blockchainId) => findChain(network, blockchainId));
    const chains: readonly PrimaryChain[] = named.length === 0 ? ["C", "P", "X"] : [...new Set(named)].sort();
    await networks.requireIndexed(network, ...chains);
    const [address = ""] = parseAddresses(network, [args.address], { name: "address" });
    const filter: UtxoFilter = {
      address,
      chains,
      isSpent: state ? [state === "SPENT"] : [false, true],
      direction: args.orderBy?.direction ?? "desc",
    };
    const page = await utxosOfAddress(network, filter, args, work);
    return page.withNodes(await utxosFromRows(network, assets, page.nodes, work));
  }

  @FieldResolver(() => Hex, {
    nullable: true,
    description:
      "Serialised output with checksum, as a node's getUTXOs returns it. Null for an imported output while the export on the other chain is not indexed yet.",
  })
  utxoBytes(@Root() { row }: PrimaryNetworkUtxo): string | null {
    return utxoBytes(row);
  }

  @FieldResolver(() => OutputKind, { description: "Kind of output." })
  outputKind(@Root() { row: { outputType } }: PrimaryNetworkUtxo): string {
    // `Transfer` for `secp256k1fx.TransferOutput`, and so on.
    return outputType.slice(outputType.indexOf(".") + 1, -"Output".length);
  }

  @FieldResolver(() => [UtxoCredential], {
    nullable: true,
    description:
      "Signatures that authorised the consumption of the output, in signer order. Empty if no signature was needed, because the output has the threshold 0. Null if the output is unspent, or if the raw block of the consuming transaction cannot be read, for example on the C-Chain if no entry of `evmChains` has the blockchain ID of the C-Chain.",
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
    description:
      "Transaction that created the output. For a reward, the staking transaction; for a reward of an auto-renewed validator, the transaction that paid it. Null for outputs of the genesis.",
  })
  async transaction(
    @Root() { network, txHash, row }: PrimaryNetworkUtxo,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> {
    const found = await load.transaction({ network, txHash });
    if (!found) await networks.require(network, row.createdOnChain);
    return found;
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "Transaction that consumed the output. Null if unspent.",
  })
  consumingTransaction(
    @Root() { network, consumingTxHash }: PrimaryNetworkUtxo,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> | null {
    return consumingTxHash === null ? null : load.transaction({ network, txHash: consumingTxHash });
  }
}

/** Resolves a federated reference to an output. */
export async function resolveUtxoReference(
  key: { readonly network: NetworkName; readonly utxoId: unknown },
  context: PrimaryContext,
): Promise<PrimaryNetworkUtxo | null> {
  const network = await context.networks.get(key.network);
  return network && utxoById(network, parseIdParameter("utxoId", String(key.utxoId)), context);
}

/** Null only if it is certain that no chain created the output; throws `UNAVAILABLE` while a chain is not indexed. */
async function utxoById(
  served: ServedNetwork,
  utxoId: string,
  { networks, load }: PrimaryContext,
): Promise<PrimaryNetworkUtxo | null> {
  const found = await load.utxo({ network: served.network, utxoId });
  if (!found) await networks.requireIndexed(served, "P", "X", "C");
  // Not checked for an output that only its import shows: the chain that created it may not be indexed yet.
  else if (found.row.createdTimestamp !== null) await networks.requireIndexed(served, found.row.createdOnChain);
  return found;
}
