import { decodePBlock, type PBlock } from "../../core/formats/codec/blocks/p-blocks.ts";
import { decodeContainer } from "../../core/formats/codec/blocks/proposer-blocks.ts";
import type { PTransaction } from "../../core/formats/codec/transactions/p-transactions.ts";
import { formatId } from "../../core/formats/id-text.ts";
import type { PrimaryChain } from "../../core/networks/primary-chains.ts";
import { P_CHAIN_ID } from "../codec/unsigned-message.ts";
import type { PChainIndex } from "../derive/signing-request.ts";
import {
  createRowsOf,
  createStatement,
  type IndexPools,
  type KeyOf,
  type Positioned,
  type RowsOf,
} from "./statement.ts";

/** A transaction of a primary network. */
export interface IndexedTransaction {
  readonly chain: PrimaryChain;
  readonly txType: string;
}

/** The transactions, chains and subnets of a primary network. Ids in hex. Made for one call: each row is read once. */
export interface PrimaryIndex extends PChainIndex {
  /** Chain and type of a transaction; null if it is not indexed. */
  transaction(txHash: string): Promise<IndexedTransaction | null>;
  /** A transaction of a block of the P-Chain, decoded. It must be indexed. */
  pTransaction(txHash: string): Promise<PTransaction>;
  /** True for the primary network and for every subnet that was created. */
  hasSubnet(subnetId: string): Promise<boolean>;
}

type Key = KeyOf<[id: Buffer]>;

interface TransactionRow extends Positioned {
  /** Null only for a subnet that was not converted. */
  readonly tx_hash: Buffer | null;
  readonly chain: PrimaryChain;
  readonly tx_type: string;
  readonly block_number: string;
}

interface ChainRow extends Positioned {
  readonly subnet_id: Buffer;
}

interface BlockRow extends Positioned {
  readonly payload: Buffer;
}

const KEYS = "unnest($2::bytea[]) WITH ORDINALITY AS k(id, position)";
const COLUMNS = "t.tx_hash, t.chain, t.tx_type, t.block_number";

/** The id of the key is that of a transaction, validation, subnet or chain. */
export const STATEMENTS = {
  transactions: `SELECT k.position, t.* FROM ${KEYS}, LATERAL (
      SELECT ${COLUMNS} FROM primary_transactions t WHERE t.network_id = $1 AND t.tx_hash = k.id
    ) t`,
  // The first transaction that refers to a validation is the one that created it.
  creations: `SELECT k.position, t.* FROM ${KEYS}, LATERAL (
      SELECT v.tx_seq FROM l1_validator_transactions v WHERE v.network_id = $1 AND v.validation_id = k.id
      ORDER BY v.tx_seq LIMIT 1
    ) v, LATERAL (
      SELECT ${COLUMNS} FROM primary_transactions t
      WHERE t.network_id = $1 AND t.chain = 'P' AND t.tx_seq = v.tx_seq
    ) t`,
  subnets: `SELECT k.position, t.* FROM ${KEYS}, LATERAL (
      SELECT s.conversion_tx_hash FROM subnets s WHERE s.network_id = $1 AND s.subnet_id = k.id
    ) s LEFT JOIN LATERAL (
      SELECT ${COLUMNS} FROM primary_transactions t WHERE t.network_id = $1 AND t.tx_hash = s.conversion_tx_hash
    ) t ON true`,
  chains: `SELECT k.position, c.* FROM ${KEYS}, LATERAL (
      SELECT c.subnet_id FROM blockchains c WHERE c.network_id = $1 AND c.blockchain_id = k.id
    ) c`,
} as const;

/** Raw blocks of the P-Chain are numbered by height. */
export const BLOCKS = `SELECT k.position, j.payload
  FROM unnest($2::bigint[]) WITH ORDINALITY AS k(height, position), LATERAL (
    SELECT j.payload FROM primary_raw_blocks j WHERE j.network_id = $1 AND j.chain = 'P' AND j.seq = k.height
  ) j`;

/** What one call has read of all networks. */
interface Reads {
  readonly transactions: RowsOf<Key, TransactionRow>;
  readonly creations: RowsOf<Key, TransactionRow>;
  readonly subnets: RowsOf<Key, TransactionRow>;
  readonly chains: RowsOf<Key, ChainRow>;
  block(networkId: number, height: string): Promise<PBlock>;
}

/** Returns a function that makes the index of one call, by network id. */
export function createPrimaryIndexes({
  primary,
}: Pick<IndexPools, "primary">): () => (networkId: number) => PrimaryIndex {
  const transactionRows = (name: "transactions" | "creations" | "subnets") =>
    createStatement<TransactionRow>(primary, STATEMENTS[name]);
  const statements = {
    transactions: transactionRows("transactions"),
    creations: transactionRows("creations"),
    subnets: transactionRows("subnets"),
    chains: createStatement<ChainRow>(primary, STATEMENTS.chains),
    blocks: createStatement<BlockRow>(primary, BLOCKS),
  };
  return () => {
    const blockRows = createRowsOf<readonly [networkId: number, height: string], BlockRow>(statements.blocks);
    const reads: Reads = {
      transactions: createRowsOf(statements.transactions),
      creations: createRowsOf(statements.creations),
      subnets: createRowsOf(statements.subnets),
      chains: createRowsOf(statements.chains),
      block: createBlocks(blockRows),
    };
    return (networkId) => createPrimaryIndex(networkId, reads);
  };
}

/** Decodes each block once, because one block can have created many validations. */
function createBlocks(rowsOf: RowsOf<readonly [networkId: number, height: string], BlockRow>): Reads["block"] {
  const read = async (networkId: number, height: string): Promise<PBlock> => {
    const [row] = await rowsOf(networkId, height);
    if (!row) throw new Error(`block ${height} of the P-Chain of network ${networkId} is not stored`);
    return decodePBlock(decodeContainer(row.payload).block);
  };
  const known = new Map<string, Promise<PBlock>>();
  return (...key) => {
    const found = known.get(key.join(" ")) ?? read(...key);
    known.set(key.join(" "), found);
    return found;
  };
}

function createPrimaryIndex(networkId: number, reads: Reads): PrimaryIndex {
  const keyOf = (id: string): Key => [networkId, Buffer.from(id, "hex")];

  async function decoded(row: TransactionRow | undefined): Promise<PTransaction | null> {
    if (!row?.tx_hash) return null;
    const txHash = row.tx_hash.toString("hex");
    const { transactions } = await reads.block(networkId, row.block_number);
    const found = transactions.find(({ id }) => id === txHash);
    if (!found) throw new Error(`block ${row.block_number} of the P-Chain has no transaction ${formatId(txHash)}`);
    return found;
  }

  return {
    async transaction(txHash) {
      const [row] = await reads.transactions(...keyOf(txHash));
      return row ? { chain: row.chain, txType: row.tx_type } : null;
    },
    async pTransaction(txHash) {
      const found = await decoded((await reads.transactions(...keyOf(txHash)))[0]);
      if (!found) throw new Error(`transaction ${formatId(txHash)} is not indexed`);
      return found;
    },
    async hasSubnet(subnetId) {
      return subnetId === P_CHAIN_ID || (await reads.subnets(...keyOf(subnetId))).length > 0;
    },
    async subnetOfChain(chainId) {
      if (chainId === P_CHAIN_ID) return P_CHAIN_ID;
      return (await reads.chains(...keyOf(chainId)))[0]?.subnet_id.toString("hex") ?? null;
    },
    async transactionOfValidation(validationId) {
      return decoded((await reads.creations(...keyOf(validationId)))[0]);
    },
    async conversionOfSubnet(subnetId) {
      const found = await decoded((await reads.subnets(...keyOf(subnetId)))[0]);
      return found?.txType === "ConvertSubnetToL1Tx" ? found : null;
    },
  };
}
