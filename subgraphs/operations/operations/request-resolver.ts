import { Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { Compression, ExportDateFormat } from "../../../core/database/operations.ts";
import { addressPrefix, formatAddress } from "../../../core/formats/bech32.ts";
import { Address } from "../../../core/graph/scalars.ts";
import { PRIMARY_CHAIN_ALIASES } from "../../../core/networks/primary-chains.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Blockchain, Chain, EvmAddress, PrimaryNetworkAddress } from "../chains/types.ts";
import type { OperationsContext } from "../context.ts";
import { Operation } from "./types.ts";

/** The request of an operation: the days, addresses and chains that are exported. */
@Resolver(() => Operation)
export class OperationRequestResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: "First exported day, as `YYYY-MM-DD` in UTC, inclusive; null if there is no limit.",
  })
  firstDate(@Root() { request }: Operation): string | null {
    return request.firstDate;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "Last exported day, as `YYYY-MM-DD` in UTC, inclusive; null if there is no limit.",
  })
  lastDate(@Root() { request }: Operation): string | null {
    return request.lastDate;
  }

  @FieldResolver(() => [String], {
    description:
      "Exported addresses: EVM addresses of an EVM export, otherwise Bech32 addresses without a chain prefix. Sorted by their bytes.",
  })
  addresses(@Root() { request }: Operation): string[] {
    if (request.type === "TRANSACTION_EXPORT_EVM")
      return request.addresses.map((address) => `${Address.serialize(address)}`);
    const prefix = addressPrefix(request.networkId);
    return request.addresses.map((address) => formatAddress({ chain: null, prefix, address: address.slice(2) }));
  }

  @FieldResolver(() => [Address], {
    description:
      "C-Chain accounts whose atomic imports and exports are in the file of a primary network export. Empty for EVM exports.",
  })
  cChainEvmAddresses(@Root() { request }: Operation): readonly string[] {
    return request.type === "TRANSACTION_EXPORT_EVM" ? [] : request.evmAddresses;
  }

  @Directive("@semanticNonNull(levels: [0, 1])")
  @FieldResolver(() => [EvmAddress], {
    nullable: "itemsAndList",
    description:
      "Each exported address on each of `chains`. For a primary network export, the accounts `cChainEvmAddresses`; empty if the C-Chain is not configured as an EVM chain.",
  })
  async evmAddresses(@Root() operation: Operation, @Ctx() context: OperationsContext): Promise<EvmAddress[]> {
    const { request } = operation;
    if (request.type !== "TRANSACTION_EXPORT_EVM") {
      const { C } = await context.networks.chainIds(request);
      const cChain = context.configuredChains.get(C);
      return cChain ? onChain(String(cChain.chainId), request.evmAddresses) : [];
    }
    return this.chains(operation, context).flatMap(({ chainId }) => onChain(chainId, request.addresses));
  }

  @Directive("@semanticNonNull(levels: [0, 1])")
  @FieldResolver(() => [PrimaryNetworkAddress], {
    nullable: "itemsAndList",
    description: "The exported addresses of a primary network export. Empty for EVM exports.",
  })
  primaryNetworkAddresses(@Root() operation: Operation): PrimaryNetworkAddress[] {
    const network = this.network(operation);
    return network === null ? [] : this.addresses(operation).map((address) => ({ network, address }));
  }

  @FieldResolver(() => [String], {
    description: "Exported chains: EVM chain ids of an EVM export, otherwise `p-chain`, `x-chain`, `c-chain`.",
  })
  includeChains(@Root() { request }: Operation): readonly string[] {
    if (request.type === "TRANSACTION_EXPORT_EVM") return request.chainIds;
    return request.chains.map((chain) => PRIMARY_CHAIN_ALIASES[chain]);
  }

  @FieldResolver(() => Compression, { description: "Format of the file." })
  compression(@Root() { request }: Operation): Compression {
    return request.compression;
  }

  @FieldResolver(() => ExportDateFormat, { description: "How the file writes times." })
  dateFormat(@Root() { request }: Operation): ExportDateFormat {
    return request.dateFormat ?? "ISO_8601";
  }

  @FieldResolver(() => Boolean, { description: "True if the file begins with a byte order mark." })
  byteOrderMark(@Root() { request }: Operation): boolean {
    return request.byteOrderMark === true;
  }

  @FieldResolver(() => Boolean, { description: "True if the file has the column `ExportedAddress`." })
  exportedAddress(@Root() { request }: Operation): boolean {
    return request.exportedAddress === true;
  }

  @FieldResolver(() => NetworkName, { nullable: true, description: "Primary network; null for EVM exports." })
  network(@Root() { request }: Operation): NetworkName | null {
    return request.type === "TRANSACTION_EXPORT_EVM" ? null : request.network;
  }

  @Directive("@semanticNonNull(levels: [0, 1])")
  @FieldResolver(() => [Chain], {
    nullable: "itemsAndList",
    description:
      "Chains of an EVM export, without those that are no longer configured. Empty for primary network exports.",
  })
  chains(@Root() { request }: Operation, @Ctx() { configuredChains }: OperationsContext): Chain[] {
    if (request.type !== "TRANSACTION_EXPORT_EVM") return [];
    return request.chainIds.filter((chainId) => configuredChains.get(chainId)).map((chainId) => ({ chainId }));
  }

  @Directive("@semanticNonNull(levels: [0, 1])")
  @FieldResolver(() => [Blockchain], {
    nullable: "itemsAndList",
    description:
      "Chains of a primary network export. Empty for EVM exports. Null, with an error, while the network is not indexed.",
  })
  async blockchains(@Root() { request }: Operation, @Ctx() { networks }: OperationsContext): Promise<Blockchain[]> {
    if (request.type === "TRANSACTION_EXPORT_EVM") return [];
    const { network, networkId, chains } = request;
    const ids = await networks.chainIds({ network, networkId });
    return chains.map((chain) => ({ network, blockchainId: ids[chain] }));
  }
}

const onChain = (chainId: string, addresses: readonly string[]): EvmAddress[] =>
  addresses.map((address) => ({ chainId, address }));
