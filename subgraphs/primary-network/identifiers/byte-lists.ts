/** SQL expression that turns a BYTEA[] column into the text that `byteList` parses. */
export const byteListSql = (column: string): string => `array_to_string(${column}, ',')`;

/** Parses the text of `byteListSql` to `0x` hex values. */
export function byteList(text: string): string[] {
  return text === "" ? [] : text.split(",").map((bytes) => `0x${bytes.slice(2)}`);
}

/** Formats `0x` hex values as `byteListSql` does. */
export function byteListText(hexes: readonly string[]): string {
  return hexes.map((hex) => `\\x${hex.slice(2)}`).join(",");
}
