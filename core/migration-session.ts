/** Gets the lines that a migration logs. */
export type ReportLine = (line: string) => void;

/** Settings of a session whose statements, and whose waits for other sessions, may take longer than a role allows, such as a migration. */
export const UNLIMITED = "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0";
