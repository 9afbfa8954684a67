/** SQL expression that turns a BYTEA[] column into the text that `byteList` parses. */
export const byteListSql = (column: string): string => `array_to_string(${column}, ',')`;

/** Parses the text of `byteListSql` to `0x` hex values. */
export function byteList(text: string): string[] {
  return text === "" ? [] : text.replaceAll("\\", "0").split(",");
}

/** The BYTEA[] parameter of a statement, with all values of these lists. */
export function byteaParameter(lists: readonly string[]): string {
  return `{${lists
    .filter((list) => list !== "")
    .join()
    .replaceAll("\\", "\\\\")}}`;
}

/** Formats `0x` hex values as `byteListSql` does. */
export function byteListText(hexes: readonly string[]): string {
  return hexes.map((hex) => `\\x${hex.slice(2)}`).join(",");
}
