import type pg from "pg";

/** What a server says of itself. */
export interface ServerPosition {
  /** Identifies a server and all its replicas. */
  readonly system: string;
  readonly database: string;
  readonly isReplica: boolean;
  /** The end of the write-ahead log that the server has written, or that it has replayed if it is a replica. Null if it does not say. */
  readonly position: bigint | null;
}

const POSITION = `SELECT (SELECT system_identifier FROM pg_control_system())::text AS system, current_database()::text AS database,
  pg_is_in_recovery() AS "isReplica",
  (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END - '0/0'::pg_lsn)::text AS position`;

/** Asks a server. Rejects with the error of the connection or of the statement. */
export async function readPosition(server: Pick<pg.Client, "query">): Promise<ServerPosition> {
  type Row = Omit<ServerPosition, "position"> & { readonly position: string | null };
  const { rows } = await server.query<Row>(POSITION);
  const row = rows[0] as Row; // a SELECT without FROM returns a row
  return { ...row, position: row.position === null ? null : BigInt(row.position) };
}

/** Why the server cannot be a replica of the primary server; null if it can. */
export function replicaContradiction(replica: ServerPosition, primary: ServerPosition): string | null {
  if (replica.system !== primary.system) return "it is no replica of the server of databaseUrl";
  if (replica.database !== primary.database)
    return `it names the database ${replica.database}, and databaseUrl names ${primary.database}`;
  return null;
}

/** Positions of the primary server and their times, by which the lag of a replica is known without comparing clocks of servers. */
export interface Positions {
  add(position: bigint, atMs: number): void;
  /**
   * The seconds between the newest position and the last one that a replica has reached: 0 if it has reached the newest one. It does not grow
   * while the primary server writes nothing, or cannot be reached. Null if the replica has reached none of them.
   */
  lagOf(position: bigint): number | null;
}

interface Mark {
  readonly position: bigint;
  readonly atMs: number;
}

/** Keeps the positions of the last `keptMs`. */
export function createPositions(keptMs: number): Positions {
  let marks: Mark[] = [];
  return {
    add(position, atMs) {
      marks = [...marks.filter((mark) => atMs - mark.atMs <= keptMs), { position, atMs }];
    },
    lagOf(position) {
      const reached = marks.findLast((mark) => mark.position <= position);
      const newest = marks.at(-1);
      return reached && newest ? Math.round(newest.atMs - reached.atMs) / 1_000 : null;
    },
  };
}
