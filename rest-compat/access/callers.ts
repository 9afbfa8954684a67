import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createChains } from "../../core/chains.ts";
import type { Config } from "../../core/config-schema.ts";
import { Failure } from "../../core/errors.ts";
import type { Network } from "../../core/settings/network.ts";

/** Who sends a request: the owner of an API key, or an IP address. */
export interface Caller {
  /** Name under which usage is counted. It contains a hash of the key, never the key itself. */
  readonly id: string;
  /** 0 if the caller has no limit. */
  readonly unitsPerMinute: number;
  /** Networks that the caller may read; null if all. */
  readonly networks: ReadonlySet<Network> | null;
}

export interface Callers {
  /** Identifies the caller by API key, or by address if the request has no key. Throws `UNAUTHENTICATED` for an unknown key. */
  byKey(request: IncomingMessage): Caller;
  /** Identifies the caller by address and ignores API keys. */
  byAddress(request: IncomingMessage): Caller;
  /** Throws `FORBIDDEN` if the variables name a network, or a chain of a network, that the caller may not read. */
  requireNetwork(caller: Caller, variables: Readonly<Record<string, unknown>>): void;
}

export type CallersConfig = Pick<
  Config,
  "apiKeys" | "computeUnitsPerMinute" | "evmChains" | "keyHeaders" | "trustProxy"
>;

const UNLIMITED: Caller = { id: "", unitsPerMinute: 0, networks: null };

export function createCallers(config: CallersConfig): Callers {
  const callers = new Map(config.apiKeys.map((entry) => [entry.key, callerOf(entry)]));
  const chains = createChains(config);
  const unitsPerMinute = config.computeUnitsPerMinute;
  const byAddress = (request: IncomingMessage): Caller => {
    if (unitsPerMinute === 0) return UNLIMITED;
    return { id: `address ${addressOf(request, config.trustProxy)}`, unitsPerMinute, networks: null };
  };
  return {
    byAddress,
    byKey(request) {
      const key = keyOf(request, config.keyHeaders);
      if (key === undefined) return byAddress(request);
      const caller = callers.get(key);
      if (!caller) throw new Failure("UNAUTHENTICATED", "the API key is unknown");
      return caller;
    },
    requireNetwork({ networks }, { network, chainId }) {
      if (!networks) return;
      const requested = network ?? (typeof chainId === "string" ? chains.get(chainId)?.network : undefined);
      if (requested === undefined || networks.has((requested === "testnet" ? "fuji" : requested) as Network)) return;
      throw new Failure("FORBIDDEN", `the API key is not valid for the network ${requested}`);
    },
  };
}

function callerOf({ key, computeUnitsPerMinute, networks }: Config["apiKeys"][number]): Caller {
  const name = createHash("sha256").update(key).digest("base64url").slice(0, 22);
  return {
    id: `key ${name}`,
    unitsPerMinute: computeUnitsPerMinute ?? 0,
    networks: networks ? new Set(networks) : null,
  };
}

/** The value of the first header of the list that is present and not empty. */
function keyOf({ headers }: IncomingMessage, names: readonly string[]): string | undefined {
  for (const name of names) {
    const key = headers[name];
    if (key) return String(key);
  }
  return undefined;
}

/** Address of the client. In `x-forwarded-for` only the last entry was written by the trusted proxy. */
function addressOf(request: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(request.headers["x-forwarded-for"] ?? "") : "";
  const address = forwarded.slice(forwarded.lastIndexOf(",") + 1).trim() || (request.socket.remoteAddress ?? "");
  if (address.startsWith("::ffff:")) return address.slice("::ffff:".length);
  return address.includes(":") ? prefixOf(address) : address;
}

/** The first 64 bits of an IPv6 address: a single machine usually has all addresses of such a prefix. */
function prefixOf(address: string): string {
  const groups = (address.split("::")[0] as string).split(":").filter(Boolean);
  return `${[...groups, "0", "0", "0", "0"].slice(0, 4).join(":")}::/64`;
}
