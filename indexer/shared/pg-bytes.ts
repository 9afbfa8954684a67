/** PostgreSQL's text form of a byte string, from hex without `0x`. */
export const pgBytes = (hex: string): string => `\\x${hex}`;

/** PostgreSQL's text form of a byte string, from hex with `0x`. */
export const hexBytes = (hex: string): string => pgBytes(hex.slice(2));
