import { Failure } from "../../core/errors/errors.ts";
import { createRowsOf, createStatement, type IndexPools, type Positioned } from "./statement.ts";

/** A primary network of the configuration. */
export interface Network {
  /** Name in paths. */
  readonly network: string;
  readonly networkId: number;
}

/** How far a chain of a primary network is indexed. */
export interface ChainHead {
  readonly height: bigint;
  /** Changes when all rows are derived again. */
  readonly rowsVersion: number;
}

/** Heads of chains. Made for one call: each head is read once. */
export interface Heads {
  /** The last indexed block. Fails with `UNAVAILABLE` and the indexer's reason if no block or vertex of the chain is indexed. */
  ofPrimaryChain(network: Network, chain: "P" | "X"): Promise<ChainHead>;
  /** Fails with `UNAVAILABLE` and the indexer's reason if no block of the EVM chain is indexed. */
  requireEvmChain(chainId: number): Promise<void>;
}

interface Row extends Positioned {
  readonly block_number: string | null;
  readonly rows_version: number | null;
  readonly is_indexed: boolean;
  readonly state: string | null;
  readonly reason: string | null;
}

/** A chain can have a row of progress without a row of its head, and the reverse. */
export const PRIMARY_HEADS = `SELECT k.position, h.block_number, h.rows_version, coalesce(h.raw_seq >= 0, false) AS is_indexed,
    p.state, p.reason
  FROM unnest($2::text[]) WITH ORDINALITY AS k(chain, position)
    LEFT JOIN primary_heads h ON h.network_id = $1 AND h.chain = k.chain
    LEFT JOIN primary_progress p ON p.network_id = $1 AND p.chain = k.chain`;

export const EVM_HEADS = `SELECT 1 AS position, h.block_number, h.rows_version, coalesce(h.block_number >= 0, false) AS is_indexed,
    p.state, p.reason
  FROM (SELECT) one LEFT JOIN chain_heads h ON h.chain_id = $1 LEFT JOIN chain_progress p ON p.chain_id = $1`;

/** Returns a function that makes the heads of one call. */
export function createHeads({ evm: evmOf, primary: primaryOf }: IndexPools): () => Heads {
  const primary = createStatement<Row>(primaryOf, PRIMARY_HEADS);
  const evm = createStatement<Row>(evmOf, EVM_HEADS);
  return () => {
    const primaryRows = createRowsOf<readonly [networkId: number, chain: string], Row>(primary);
    const evmRows = createRowsOf<readonly [chainId: number], Row>(evm);
    return {
      async ofPrimaryChain({ network, networkId }, chain) {
        const [row] = await primaryRows(networkId, chain);
        const { block_number, rows_version } = checked(row, `the ${chain}-Chain of network ${network}`);
        return { height: BigInt(block_number ?? 0), rowsVersion: rows_version ?? 0 };
      },
      async requireEvmChain(chainId) {
        const [row] = await evmRows(chainId);
        checked(row, `chain ${chainId}`);
      },
    };
  };
}

function checked(row: Row | undefined, what: string): Row {
  if (row?.is_indexed) return row;
  const { state = null, reason = null } = row ?? {};
  const why = state === null ? ": its indexer has not started" : ` (${state})${reason === null ? "" : `: ${reason}`}`;
  throw new Failure("UNAVAILABLE", `${what} is not indexed yet${why}`);
}
