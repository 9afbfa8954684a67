import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { isPublicAddress } from "./public-address.ts";

/** Determines to which servers a token URI may lead. */
export interface AddressPolicy {
  /** Whether a connection to this address and port may be opened. */
  isAllowed(address: string, port: number): boolean;
  /** The addresses of a host name; empty if it has none. */
  resolve(hostname: string): Promise<readonly string[]>;
  /** PEM of a certificate authority to trust instead of the system's. */
  readonly ca?: string;
}

const HTTPS_PORT = 443;
const RESOLVER = { timeout: 2_000, tries: 2 };

/** Allows public internet addresses at the HTTPS port only. */
export const PUBLIC_WEB: AddressPolicy = {
  isAllowed: (address, port) => port === HTTPS_PORT && isPublicAddress(address),
  resolve: resolveName,
};

/** Queries the name servers directly: ignores the hosts file and the search list, and blocks no thread. */
async function resolveName(hostname: string): Promise<readonly string[]> {
  const resolver = new Resolver(RESOLVER);
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return found.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
}

/** The policy forbids the address, which says nothing about whether the host works. */
class ForbiddenAddress extends Error {}

export interface ConnectorOptions {
  readonly timeoutMs: number;
  /** Called with each host that could not be connected to; not with forbidden ones. */
  readonly onFailure: (host: string) => void;
}

/** Opens only connections that `policy` allows; null allows all. Checks the resolved address to which the connection is opened. */
export function createConnector(policy: AddressPolicy | null, options: ConnectorOptions): buildConnector.connector {
  return (target, callback) => {
    const port = Number(target.port || (target.protocol === "https:" ? HTTPS_PORT : 80));
    const host = hostKey(target.hostname, port);
    const reporting: buildConnector.Callback = (...result) => {
      const [error] = result;
      if (error !== null && !(error instanceof ForbiddenAddress)) options.onFailure(host);
      callback(...result);
    };
    // For a literal address, `lookup` is not called.
    if (policy && isIP(target.hostname) !== 0 && !policy.isAllowed(target.hostname, port))
      return callback(new ForbiddenAddress(`connections to ${host} are not allowed`), null);
    const guard = policy ? { lookup: guardedLookup(policy, port), ...(policy.ca ? { ca: policy.ca } : {}) } : {};
    buildConnector({ timeout: options.timeoutMs, ...guard })(target, reporting);
  };
}

/** Name and port of a host, as one text. */
export function hostKey(hostname: string, port: number): string {
  return `${hostname}:${port}`;
}

function guardedLookup(policy: AddressPolicy, port: number): LookupFunction {
  return (hostname, options, callback) => {
    const lookUp = async () => {
      const all = await policy.resolve(hostname);
      if (all.length === 0) throw new Error(`${hostname} has no address`);
      const addresses = all.filter((address) => policy.isAllowed(address, port));
      const [first] = addresses;
      if (first === undefined)
        throw new ForbiddenAddress(`connections to the addresses of ${hostname} are not allowed`);
      if (!options.all) return callback(null, first, isIP(first));
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      );
    };
    lookUp().catch((error: NodeJS.ErrnoException) => callback(error, options.all ? [] : ""));
  };
}
