import { parseId } from "../../core/formats/cb58.ts";

/** The blockchain that a URL of avalanchego names. */
export interface BlockchainInUrl {
  /** Blockchain id or alias, as in the URL. */
  readonly name: string;
  /** CB58; null if the name is an alias, which only the node can resolve. */
  readonly blockchainId: string | null;
  /** URL of the node's Info API. */
  readonly infoUrl: string;
}

const PATH = /^(.*)\/ext\/bc\/([^/]+)\/rpc\/?$/;

/** The blockchain in the URL of an EVM chain's node; null if the URL has another form, such as that of a proxy. */
export function blockchainInUrl(nodeUrl: string): BlockchainInUrl | null {
  const url = new URL(nodeUrl);
  const [, base, name] = PATH.exec(url.pathname) ?? [];
  if (base === undefined || name === undefined) return null;
  url.pathname = `${base}/ext/info`;
  return { name, blockchainId: parseId(name), infoUrl: url.href };
}
