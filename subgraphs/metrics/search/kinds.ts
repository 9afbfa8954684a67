import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { EVM_ADDRESSES, NODES, PRIMARY_ADDRESSES } from "./address-statements.ts";
import { NAMED_TABLES, namedLike } from "./name-statements.ts";
import type { SearchText } from "./parse-text.ts";
import type { ResultKind } from "./types.ts";

/** How the results of one type are found: by one statement for each EVM chain or network. */
export interface Kind {
  readonly kind: ResultKind;
  /**
   * `evm`, or the chains of primary networks of which something must be indexed before an empty result is certain. Blocks of the
   * C-Chain are found too, but they have an indexer of their own, whose state is not checked.
   */
  readonly scope: "evm" | readonly PrimaryChain[];
  /** Its first parameter is the EVM chain id or the network id. */
  readonly sql: string;
  /** The other parameters, for at most `limit` results of a chain. Null if the text cannot name anything of this type. */
  readonly values: (text: SearchText, limit: number) => readonly unknown[] | null;
  /** If it is true, only the first of all rows is a result: the one with the least `firstBy`. */
  readonly isSingle?: boolean;
}

const hex = (bytes: string | null) => (bytes === null ? null : [bytea(bytes)]);

const number = ({ number }: SearchText) => (number === null ? null : [number]);
const id = ({ id }: SearchText) => hex(id);
const nodeId = ({ nodeId }: SearchText) => hex(nodeId);
const evmAddress = ({ evmAddress }: SearchText) => hex(evmAddress);
const name = ({ name }: SearchText, limit: number) => (name === null ? null : [name, limit]);
const primaryAddress = ({ primaryAddress }: SearchText) =>
  primaryAddress && [primaryAddress.prefix, bytea(primaryAddress.address)];

const onEvm = (table: string, columns: string, condition: string): string =>
  `SELECT chain_id AS "chainId", ${columns} FROM ${table} WHERE chain_id = $1 AND ${condition}`;

const onPrimary = (table: string, columns: string, condition: string): string =>
  `SELECT network_id AS "networkId", ${columns} FROM ${table} WHERE network_id = $1 AND ${condition}`;

/** The P-Chain and the primary network have the id zero, and no rows in the tables `blockchains` and `subnets`. */
const OR_ZERO = `UNION ALL SELECT network_id, $2 FROM primary_networks
  WHERE network_id = $1 AND $2 = decode(repeat('00', 32), 'hex')`;

const FIRST_EVENT = "ORDER BY block_timestamp, block_number, log_index LIMIT 1";

const BLOCK = 'chain, block_number AS "blockNumber"';
const P = ["P"] as const;
const PX = ["P", "X"] as const;
const PXC = ["P", "X", "C"] as const;
const ANY_CHAIN = "chain = ANY ('{P,X,C}')";

/** All kinds, in the order of results. */
export const KINDS: readonly Kind[] = [
  {
    kind: "Blockchain",
    scope: P,
    sql: `${onPrimary("blockchains", 'blockchain_id AS "blockchainId"', "blockchain_id = $2")} ${OR_ZERO}`,
    values: id,
  },
  { kind: "Blockchain", scope: P, sql: namedLike(NAMED_TABLES.blockchains), values: name },
  {
    kind: "Subnet",
    scope: P,
    sql: `${onPrimary("subnets", 'subnet_id AS "subnetId"', "subnet_id = $2")} ${OR_ZERO}`,
    values: id,
  },
  {
    kind: "L1Validator",
    scope: P,
    sql: onPrimary("l1_validators", 'validation_id AS "validationId"', "validation_id = $2"),
    values: id,
  },
  { kind: "ValidatorNode", scope: P, sql: NODES, values: nodeId, isSingle: true },
  {
    kind: "EvmBlock",
    scope: "evm",
    sql: onEvm("evm_blocks", 'block_number AS "blockNumber"', "block_number = $2"),
    values: number,
  },
  {
    kind: "EvmBlock",
    scope: "evm",
    sql: onEvm("evm_blocks", 'block_number AS "blockNumber"', "block_hash = $2"),
    values: id,
  },
  {
    kind: "PrimaryNetworkBlock",
    scope: PX,
    sql: onPrimary("primary_blocks", BLOCK, `${ANY_CHAIN} AND block_number = $2`),
    values: number,
  },
  {
    kind: "PrimaryNetworkBlock",
    scope: PX,
    sql: onPrimary("primary_blocks", BLOCK, `${ANY_CHAIN} AND block_hash = $2`),
    values: id,
  },
  {
    kind: "XChainVertex",
    scope: ["X"],
    sql: onPrimary("x_chain_vertices", 'vertex_hash AS "vertexHash"', "vertex_hash = $2"),
    values: id,
  },
  {
    kind: "EvmTransaction",
    scope: "evm",
    sql: onEvm("evm_transactions", 'tx_hash AS "txHash"', "tx_hash = $2"),
    values: id,
  },
  {
    kind: "PrimaryNetworkTransaction",
    scope: PXC,
    sql: onPrimary("primary_transactions", 'tx_hash AS "txHash"', "tx_hash = $2"),
    values: id,
  },
  {
    kind: "IcmEvent",
    scope: "evm",
    sql: onEvm(
      "icm_events",
      'block_number AS "blockNumber", log_index AS "logIndex", block_timestamp AS "firstBy"',
      `message_id = $2 ${FIRST_EVENT}`,
    ),
    values: id,
    isSingle: true,
  },
  { kind: "EvmAddress", scope: "evm", sql: EVM_ADDRESSES, values: evmAddress },
  { kind: "PrimaryNetworkAddress", scope: PXC, sql: PRIMARY_ADDRESSES, values: primaryAddress },
  { kind: "Erc20Token", scope: "evm", sql: namedLike(NAMED_TABLES.erc20Tokens), values: name },
  { kind: "NftCollection", scope: "evm", sql: namedLike(NAMED_TABLES.nftCollections), values: name },
];
