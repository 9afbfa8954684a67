/** An error that a person can mend: commands print its message, as one line for each thing to mend, and no stack. */
export class ExpectedError extends Error {
  /** Exit code of a command that ends with this error. */
  readonly exitCode: number = 1;
}
