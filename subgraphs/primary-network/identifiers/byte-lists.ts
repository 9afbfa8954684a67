/** SQL that gives a column of type BYTEA[] as text, which `byteList` reads. */
export const byteListSql = (column: string): string => `array_to_string(${column}, ',')`;

/** `0x` hexes out of such a text. */
export function byteList(text: string): string[] {
  return text === "" ? [] : text.split(",").map((bytes) => `0x${bytes.slice(2)}`);
}
