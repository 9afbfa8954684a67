/**
 * Rows in the CSV format of COPY. Values are byte strings as `pgBytes` returns them, numbers, booleans and names of ASCII letters, which
 * need no quotes; `null` is NULL. `Session.copy` takes rows with other texts.
 */
export function csvRows(rows: readonly (readonly (string | null)[])[]): Buffer {
  // `join` writes null as an empty field.
  const lines = rows.map((row) => row.join());
  lines.push("");
  return Buffer.from(lines.join("\n"), "latin1");
}
