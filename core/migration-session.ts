/** Gets the lines that a migration logs. */
export type ReportLine = (line: string) => void;

/** Settings of a session that migrates: a migration, and the wait for that of another process, may take longer than a role may wait. */
export const UNLIMITED = "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0";
