import type { BinaryColumns } from "../shared/binary-rows.ts";
import type { Queries, Session, Writer } from "../shared/writer.ts";
import type { BlockFile, ChainKey, Tip } from "./manifest.ts";

/** The raw blocks of one chain in the database, as files have them. A position is the number of a block, or `primary_raw_blocks.seq`. */
export interface ChainStore<Row> {
  readonly key: ChainKey;
  /** Columns of the files. The first one is the id of the chain or network. */
  readonly columns: BinaryColumns;
  /** The last stored position; -1 if there is none. */
  last(session: Queries): Promise<number>;
  /** The next rows, in order: at least one if `from` is stored, and none after `to`. */
  read(session: Queries, from: number, to: number): Promise<readonly Row[]>;
  /** False if the block at the end of the file was replaced after the file was written. */
  isCurrent(session: Queries, file: BlockFile): Promise<boolean>;
  /** The files whose mark has changed since they were written. */
  changed(session: Queries, files: readonly BlockFile[]): Promise<ReadonlySet<BlockFile>>;
  positionOf(row: Row): number;
  isMarked(row: Row): boolean;
  bytesOf(row: Row): number;
  /** The tip after the row, which must follow the tip; null before the first row. Throws `BadUpstreamData` if it does not follow it. */
  follow(tip: Tip | null, row: Row): Tip | null;
  /** Creates the partitions for the rows. */
  prepare(writer: Pick<Writer, "transaction">): Promise<void>;
  insert(session: Session, rows: readonly Row[]): Promise<void>;
}
