/**
 * The bytes are not the expected message. The text names the object and the problem; if a field cannot be decoded, also the field
 * and the offset.
 */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}
