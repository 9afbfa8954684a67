/** Validators, a bit set or a quorum are invalid. The text says what is wrong. */
export class InvalidValidatorSet extends Error {
  override readonly name = "InvalidValidatorSet";
}
