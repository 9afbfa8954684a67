/** Bytes are not the message that they should be. The text names the object, the field, the offset and the problem. */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}
