import type { ClientBase } from "pg";
import { cached } from "../../../core/caches/cached.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { formatAddress } from "../../../core/formats/bech32.ts";
import { formatId, formatNodeId } from "../../../core/formats/id-text.ts";
import { readAll } from "../shared/cursor.ts";

/** A network's values from its genesis. Bytes are `\x` hex. */
export interface ExportedNetwork {
  readonly hrp: string;
  readonly xChainId: string;
  readonly cChainId: string;
  readonly avaxAssetId: string;
}

const NETWORK = `SELECT hrp, x_chain_id AS "xChainId", c_chain_id AS "cChainId", avax_asset_id AS "avaxAssetId"
  FROM primary_networks WHERE network_id = $1`;

/** Reads a network. Throws `UNAVAILABLE` if its genesis is not indexed. */
export async function readNetwork(client: ClientBase, networkId: number): Promise<ExportedNetwork> {
  const [network] = await readAll<ExportedNetwork & Record<string, string>>(client, NETWORK, [networkId]);
  if (!network) throw new Failure("UNAVAILABLE", `network ${networkId} is not indexed yet`);
  return network;
}

/** CB58 of an id in `\x` hex. */
export const idText = cached((bytes) => formatId(bytes.slice(2)));

/** `NodeID-…` of a node id in `\x` hex. */
export const nodeIdText = cached((bytes) => formatNodeId(bytes.slice(2)));

const bech32 = cached((prefixAndBytes) => {
  const [prefix = "", address = ""] = prefixAndBytes.split("\\x");
  return formatAddress({ chain: null, prefix, address });
});

/** Bech32 texts of a list of address hashes as `listSql` has it, with a semicolon between them. */
export function addressesText(hrp: string, list: string): string {
  if (list === "") return "";
  if (!list.includes(",")) return bech32(hrp + list);
  return list
    .split(",")
    .map((bytes) => bech32(hrp + bytes))
    .join(";");
}

/** SQL expression: a BYTEA[] as one text. */
export const listSql = (column: string): string => `array_to_string(${column}, ',')`;
