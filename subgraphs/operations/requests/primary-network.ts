import { Failure } from "../../../core/errors/errors.ts";
import type { ConfiguredNetwork } from "../chains/networks.ts";
import type { ListedAddress } from "./address-lists.ts";
import { invalid } from "./invalid.ts";
import type { NamedChain } from "./primary-chains.ts";

/**
 * Finds the network of a request: by its blockchain ids, else by the prefix of its addresses, else the only configured one.
 * Throws `INVALID_PARAMETER` if the ids and addresses belong to different networks, if they fit several networks, or if the
 * network is not configured.
 */
export function findNetwork(
  configured: readonly ConfiguredNetwork[],
  chains: readonly NamedChain[],
  addresses: readonly ListedAddress[],
): ConfiguredNetwork {
  if (configured.length === 0)
    throw new Failure("INVALID_PARAMETER", "type must be TRANSACTION_EXPORT_EVM: no primary network is served here");
  const named = ofChains(configured, chains);
  const fitting = addresses.reduce(ofAddress, named);
  const [network, ...others] = fitting;
  if (network && others.length === 0) return network;
  throw new Failure(
    "INVALID_PARAMETER",
    `options.includeChains must contain the blockchain id of the X-Chain or C-Chain of one network: the request matches ${namesOf(fitting)}`,
  );
}

const namesOf = (networks: readonly ConfiguredNetwork[]): string =>
  networks.map(({ network }) => network).join(" and ");

/** The configured networks that have all named chains. Throws `INVALID_PARAMETER` if there is none. */
function ofChains(configured: readonly ConfiguredNetwork[], chains: readonly NamedChain[]) {
  const named = chains.filter(({ network }) => network !== null);
  const [first] = named;
  if (!first) return configured;
  const other = named.find(({ network }) => network !== first.network);
  if (other) throw invalid(other.path, `must be a chain of ${first.network}, as ${first.path} is`, other.text);
  const found = configured.filter(({ network }) => network === first.network);
  if (found.length > 0) return found;
  throw invalid(first.path, `must be a chain of a network that is served here (${namesOf(configured)})`, first.text);
}

/** The networks of the list that use the address's prefix. Throws `INVALID_PARAMETER` if there is none. */
function ofAddress(networks: readonly ConfiguredNetwork[], { prefix, path, text }: ListedAddress) {
  const found = networks.filter((network) => network.prefix === prefix);
  if (found.length > 0) return found;
  const allowed = networks.map((network) => `${network.prefix}1… of ${network.network}`).join(" or ");
  throw invalid(path, `must be an address of the request's network (${allowed})`, text);
}
