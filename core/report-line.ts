/** Gets the lines that a migration logs. */
export type ReportLine = (line: string) => void;
