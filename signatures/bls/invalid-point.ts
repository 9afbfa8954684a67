/** Bytes are not a valid key or signature. The text says which, and why. */
export class InvalidPoint extends Error {
  override readonly name = "InvalidPoint";
}
