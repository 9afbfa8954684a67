/** Expects equal rows. As one text first: comparing thousands of them one by one takes a second. */
export function expectSameRows(got: unknown, expected: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(expected)) expect(got).toEqual(expected);
}
