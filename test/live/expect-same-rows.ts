/** Expects equal rows. It compares their JSON first, because Jest takes a second to compare thousands of rows. */
export function expectSameRows(got: unknown, expected: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(expected)) expect(got).toEqual(expected);
}
