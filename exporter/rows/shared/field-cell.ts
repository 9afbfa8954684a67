/**
 * Returns a function that makes the cell of a field, by its name: the formatted value, or empty text if the row does not have
 * it. Values are as PostgreSQL writes them.
 */
export function fieldCell<Fields extends { readonly [Name in keyof Fields]: string | null }>(
  format: (value: string) => string,
) {
  return (name: keyof Fields) =>
    ({ fields }: { readonly fields: Fields }): string => {
      const value = fields[name] ?? null;
      return value === null ? "" : format(value);
    };
}

/** The format of a field whose text is the cell. */
export const asText = (value: string): string => value;
