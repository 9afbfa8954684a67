/** The empty migrated database of a run, which test files copy. */
export const EMPTY = "template";
/** The role that owns the databases of the tests. */
export const OWNER = "owner";

/** Name of a database or role of this run: other runs may use the same server. */
export function nameInRun(name: string): string {
  return `${process.env["MORAINE_TEST_PREFIX"]}${name}`;
}
