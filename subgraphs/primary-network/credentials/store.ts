import { mapYielding } from "../../../core/async/yield-to-event-loop.ts";
import { type Databases, prepared } from "../../../core/database/database.ts";
import { BadUpstreamData, Failure } from "../../../core/errors/errors.ts";
import { decodePBlock } from "../../../core/formats/codec/blocks/p-blocks.ts";
import { decodeContainer } from "../../../core/formats/codec/blocks/proposer-blocks.ts";
import { decodeVertex } from "../../../core/formats/codec/blocks/vertices.ts";
import { decodeXBlock } from "../../../core/formats/codec/blocks/x-blocks.ts";
import { decodeAtomicTransactions } from "../../../core/formats/codec/transactions/atomic-transactions.ts";
import {
  type AnyTransaction,
  accountSignatures,
  credentialsByUtxo,
  signedHash,
} from "../../../core/formats/codec/transactions/credentials.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import type { Work } from "../../../core/work/work.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";
import type { ServedChains } from "../blockchains/served-chains.ts";
import { byteList } from "../identifiers/byte-lists.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { createPublicKeys } from "./public-keys.ts";
import type { Spent, SpentCredentials } from "./spent.ts";
import type { UtxoCredential } from "./types.ts";

/**
 * Reads the credentials of inputs from the raw blocks, with one statement, and one more if some are on the C-Chain. Inputs whose raw block
 * is not stored are left out. Throws `OPERATION_TOO_COMPLEX` if one request reads more than `MAX_INPUTS`: recovering public keys is
 * expensive.
 */
export type ReadCredentials = (
  network: ServedNetwork,
  spent: readonly Spent[],
  work: Work,
) => Promise<SpentCredentials[]>;

export interface CredentialStore {
  /** Call once per request: the limit counts the inputs of one request. */
  ofRequest(): ReadCredentials;
}

/** Maximum number of inputs of one request. A page with more than one transaction has at most 2,000 outputs. */
export const MAX_INPUTS = 5_000;

interface RawRow {
  readonly chain: PrimaryChain;
  readonly isVertex: boolean | null;
  readonly bytes: string;
}

/** A row of `RAW`. A block of the C-Chain has no bytes. */
type PlaceRow = Omit<RawRow, "bytes"> & { readonly blockNumber: string | null; readonly bytes: string | null };

/**
 * The raw blocks and vertices that contain the transactions, without duplicates. On the P- and X-Chain, the number of the entry
 * of a block follows from that of the head, because `raw_seq` continues from the last vertex to block 0. The bytes of blocks of the
 * C-Chain are in the table of an EVM chain.
 */
export const RAW = `SELECT p.chain, p.block_number AS "blockNumber", j.is_vertex AS "isVertex", j.payload AS bytes
  FROM (
    SELECT DISTINCT chain, block_number, vertex_index FROM primary_transactions
    WHERE network_id = $1 AND tx_hash = ANY ($2)
  ) p
  JOIN primary_heads h ON h.network_id = $1 AND h.chain = p.chain
  LEFT JOIN LATERAL (
    SELECT payload, is_vertex FROM primary_raw_blocks j
    WHERE j.network_id = $1 AND j.chain = p.chain
      AND j.seq = coalesce(p.vertex_index, p.block_number + h.raw_seq - h.block_number) LIMIT 1
  ) j ON p.chain <> 'C'
  WHERE p.chain = 'C' OR j.payload IS NOT NULL`;

/** The atomic transactions in blocks `$2` of EVM chain `$1`, the C-Chain. */
const RAW_ATOMIC = `SELECT 'C' AS chain, NULL::bool AS "isVertex", e.ext_data AS bytes
  FROM unnest($2::bigint[]) AS k(block_number),
    LATERAL (SELECT ext_data FROM evm_ext_data e WHERE e.chain_id = $1 AND e.block_number = k.block_number LIMIT 1) e`;

export interface CredentialStoreDeps {
  readonly database: Pick<Databases, "evm" | "primary">;
  readonly servedChains: Pick<ServedChains, "chainIdOf">;
  readonly logger: Pick<Logger, "error">;
}

export function createCredentialStore({
  database: { evm, primary },
  servedChains,
  logger,
}: CredentialStoreDeps): CredentialStore {
  const raw = prepared<PlaceRow>(primary.pool, "primary-raw-blocks", RAW);
  const rawAtomic = prepared<RawRow>(evm.pool, "primary-raw-atomic", RAW_ATOMIC);
  const keys = createPublicKeys();

  function credentialsOf(
    { hash, signatures, signatureIndices }: Signatures,
    owners: readonly string[],
  ): UtxoCredential[] {
    return signatures.map((hex, index) => {
      const signature = Buffer.from(hex, "hex");
      const publicKey = keys.of(owners[signatureIndices[index] ?? -1] ?? null, hash, signature);
      return { signature: signature.toString("base64"), publicKey: Buffer.from(publicKey).toString("base64") };
    });
  }

  /** An invalid raw block counts as not stored, so that the rest of the page is still served. */
  function transactionsIn(row: RawRow): readonly AnyTransaction[] {
    try {
      return decode(row);
    } catch (error) {
      if (!(error instanceof BadUpstreamData)) throw error;
      logger.error(
        { chain: row.chain, reason: error.message },
        "a raw block cannot be decoded: its signatures are left out of responses",
      );
      return [];
    }
  }

  async function rawBlocks(network: ServedNetwork, txHashes: Iterable<string>, work: Work): Promise<readonly RawRow[]> {
    const rows = await raw([network.networkId, byteaArray(txHashes)], work);
    const { cChainId: blockchainId } = network;
    const chainId = servedChains.chainIdOf({ network: network.network, blockchainId, evmChainId: null });
    const onCChain = rows.flatMap(({ chain, blockNumber }) => (chain === "C" ? [blockNumber] : []));
    const atomic = onCChain.length > 0 && chainId !== null ? await rawAtomic([chainId, onCChain], work) : [];
    return [...rows.filter((row): row is PlaceRow & RawRow => row.bytes !== null), ...atomic];
  }

  async function read(network: ServedNetwork, spent: readonly Spent[], work: Work): Promise<SpentCredentials[]> {
    const txHashes: ReadonlySet<string> = new Set(spent.map(({ txHash }) => txHash));
    const blocks = await mapYielding(await rawBlocks(network, txHashes, work), transactionsIn);
    const wanted = blocks.flat().filter(({ id }) => txHashes.has(`0x${id}`));
    const signed = new Map<string, SpentSignatures>(wanted.map((tx) => [`0x${tx.id}`, signaturesOf(tx)]));
    const known = spent.filter(({ txHash }) => signed.has(txHash));
    return mapYielding(known, (one) => {
      const signatures = signed.get(one.txHash)?.get(one.input);
      return { credentials: signatures ? credentialsOf(signatures, byteList(one.owners)) : [], ...one };
    });
  }

  return {
    ofRequest() {
      let asked = 0;
      return async (network, spent, work) => {
        asked += spent.length;
        if (asked <= MAX_INPUTS) return read(network, spent, work);
        throw new Failure(
          "OPERATION_TOO_COMPLEX",
          `a request may select the credentials of at most ${MAX_INPUTS} inputs, this one selects ${asked}`,
        );
      };
    },
  };
}

function decode({ chain, isVertex, bytes: hex }: RawRow): readonly AnyTransaction[] {
  const bytes = Buffer.from(hex.slice(2), "hex");
  if (chain === "C") return decodeAtomicTransactions(bytes);
  if (isVertex) return decodeVertex(bytes).transactions;
  const { block } = decodeContainer(bytes);
  return chain === "P" ? decodePBlock(block).transactions : decodeXBlock(block).transactions;
}

interface Signatures {
  /** Hash of the signed bytes. */
  readonly hash: Uint8Array;
  readonly signatures: readonly string[];
  readonly signatureIndices: readonly number[];
}

/** By `Spent.input`. */
type SpentSignatures = ReadonlyMap<string, Signatures>;

function signaturesOf(tx: AnyTransaction): SpentSignatures {
  const hash = Buffer.from(signedHash(tx), "hex");
  const found = new Map<string, Signatures>();
  for (const [id, credential] of credentialsByUtxo(tx)) found.set(`0x${id}`, { hash, ...credential });
  for (const [index, signatures] of accountSignatures(tx).entries())
    found.set(String(index), { hash, signatures, signatureIndices: [0] });
  return found;
}
