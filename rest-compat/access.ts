import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createChains } from "../core/chains.ts";
import type { Config } from "../core/config-schema.ts";
import type { Network } from "../core/settings/network.ts";
import { Failure } from "../core/errors.ts";
import type { Variables } from "./parameters.ts";

/** Who asks, as far as limits and rights go. */
export interface Caller {
  /** Name for counting: of the key, never the key itself, or of the address. */
  readonly id: string;
  /** 0: no limit. */
  readonly unitsPerMinute: number;
  /** Networks that may be asked for; null: all. */
  readonly networks: ReadonlySet<Network> | null;
}

export interface Access {
  /** The caller by key; throws `UNAUTHENTICATED` for an unknown key. */
  byKey(request: IncomingMessage): Caller;
  /** The caller by address, whatever key is sent. */
  byAddress(request: IncomingMessage): Caller;
  /** Throws `FORBIDDEN` when the variables name a network, or a chain of a network, that the caller may not ask for. */
  permit(caller: Caller, variables: Variables): void;
}

export type AccessConfig = Pick<
  Config,
  "apiKeys" | "computeUnitsPerMinute" | "evmChains" | "keyHeaders" | "trustProxy"
>;

const UNLIMITED: Caller = { id: "", unitsPerMinute: 0, networks: null };

export function createAccess(config: AccessConfig): Access {
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
      if (!caller) throw new Failure("UNAUTHENTICATED", "the API key is not known here");
      return caller;
    },
    permit({ networks }, { network, chainId }) {
      if (!networks) return;
      const asked = network ?? (typeof chainId === "string" ? chains.get(chainId)?.network : undefined);
      if (asked === undefined || networks.has((asked === "testnet" ? "fuji" : asked) as Network)) return;
      throw new Failure("FORBIDDEN", `the API key is not for the network ${asked}`);
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

/** The first header of the list that has a value counts. */
function keyOf({ headers }: IncomingMessage, names: readonly string[]): string | undefined {
  for (const name of names) {
    const key = headers[name];
    if (key) return String(key);
  }
  return undefined;
}

/** Of a list of proxies only the last entry is written by one that is trusted. */
function addressOf(request: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(request.headers["x-forwarded-for"] ?? "") : "";
  const address = forwarded.slice(forwarded.lastIndexOf(",") + 1).trim() || (request.socket.remoteAddress ?? "");
  if (address.startsWith("::ffff:")) return address.slice("::ffff:".length);
  return address.includes(":") ? networkOf(address) : address;
}

/** The first 64 bits: one machine has all the addresses below them. */
function networkOf(address: string): string {
  const groups = (address.split("::")[0] as string).split(":").filter(Boolean);
  return `${[...groups, "0", "0", "0", "0"].slice(0, 4).join(":")}::/64`;
}
