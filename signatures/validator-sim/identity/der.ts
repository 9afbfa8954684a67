/** A DER element: tag, length, content. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

export const SEQUENCE = 0x30;
export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;

/** What a certificate needs: the key's SubjectPublicKeyInfo, the signature algorithm, and the signature itself. */
export interface CertificateParts {
  readonly publicKeyInfo: Uint8Array;
  readonly algorithm: Uint8Array;
  sign(content: Buffer): Uint8Array;
}

/** A self-signed X.509 certificate (version 3, no names, valid from 2000 to 2126) in DER. */
export function certificateOf({ publicKeyInfo, algorithm, sign }: CertificateParts): Buffer {
  const version = der(0xa0, der(INTEGER, Buffer.of(2)));
  const serialNumber = der(INTEGER, Buffer.of(0));
  const noName = der(SEQUENCE);
  const validity = der(
    SEQUENCE,
    der(UTC_TIME, Buffer.from("000101000000Z")),
    der(GENERALIZED_TIME, Buffer.from("21260101000000Z")),
  );
  const content = der(SEQUENCE, version, serialNumber, algorithm, noName, validity, noName, publicKeyInfo);
  return der(SEQUENCE, content, algorithm, der(BIT_STRING, Buffer.of(0), sign(content)));
}
