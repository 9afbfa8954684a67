type ErrorKind = abstract new (message?: string) => Error;

/**
 * Lengths of the beginnings of bytes that a parser does not refuse with an error of this kind whose text matches. Empty if the
 * parser refuses all of them.
 */
export function acceptedBeginnings(
  bytes: Uint8Array,
  parse: (bytes: Uint8Array) => unknown,
  kind: ErrorKind,
  text = /./,
): number[] {
  return [...bytes.keys()].filter((length) => {
    try {
      parse(bytes.subarray(0, length));
      return true;
    } catch (error) {
      return !(error instanceof kind && text.test(error.message));
    }
  });
}
