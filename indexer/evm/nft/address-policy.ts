import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { isPublicAddress } from "./public-address.ts";

/** What strangers' URIs may lead to. */
export interface Reach {
  /** Whether a connection may be opened to this address. */
  isAllowed(address: string, port: number): boolean;
  /** Addresses of a name; none when it has none. */
  resolve(hostname: string): Promise<readonly string[]>;
  /** Certificate authority to trust in place of the usual ones, as PEM. */
  readonly ca?: string;
}

const HTTPS_PORT = 443;
const RESOLVER = { timeout: 2_000, tries: 2 };

/** Hosts of the internet, at the port of HTTPS. */
export const PUBLIC_WEB: Reach = {
  isAllowed: (address, port) => port === HTTPS_PORT && isPublicAddress(address),
  resolve: resolveName,
};

/** Asks the name servers themselves: names of this machine and its network's search list mean nothing, and no thread is held. */
async function resolveName(hostname: string): Promise<readonly string[]> {
  const resolver = new Resolver(RESOLVER);
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return found.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
}

/** What must not be connected to: that says nothing of the host. */
class OutOfReach extends Error {}

export interface ConnectorOptions {
  readonly timeoutMs: number;
  /** Told of every host that a connection was tried to in vain; not of those that must not be connected to. */
  readonly onFailure: (host: string) => void;
}

/** Opens connections within reach only. The check is made on the very address that is connected to. */
export function createConnector(reach: Reach | null, options: ConnectorOptions): buildConnector.connector {
  return (target, callback) => {
    const port = Number(target.port || (target.protocol === "https:" ? HTTPS_PORT : 80));
    const host = hostKey(target.hostname, port);
    const told: buildConnector.Callback = (...result) => {
      const [error] = result;
      if (error !== null && !(error instanceof OutOfReach)) options.onFailure(host);
      callback(...result);
    };
    // The system looks no literal address up.
    if (reach && isIP(target.hostname) !== 0 && !reach.isAllowed(target.hostname, port))
      return callback(new OutOfReach(`${host} must not be connected to`), null);
    const guard = reach ? { lookup: guardedLookup(reach, port), ...(reach.ca ? { ca: reach.ca } : {}) } : {};
    buildConnector({ timeout: options.timeoutMs, ...guard })(target, told);
  };
}

/** A host as connections know it. */
export function hostKey(hostname: string, port: number): string {
  return `${hostname}:${port}`;
}

function guardedLookup(reach: Reach, port: number): LookupFunction {
  return (hostname, options, callback) => {
    const found = async () => {
      const all = await reach.resolve(hostname);
      if (all.length === 0) throw new Error(`${hostname} has no address`);
      const addresses = all.filter((address) => reach.isAllowed(address, port));
      const [first] = addresses;
      if (first === undefined) throw new OutOfReach(`${hostname} has no address that may be connected to`);
      if (!options.all) return callback(null, first, isIP(first));
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      );
    };
    found().catch((error: NodeJS.ErrnoException) => callback(error, options.all ? [] : ""));
  };
}
