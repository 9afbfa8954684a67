import { X509Certificate } from "node:crypto";

const MAX_CERTIFICATE_BYTES = 2_048;
const RSA_BITS: ReadonlySet<number | undefined> = new Set([2_048, 4_096]);
const RSA_EXPONENT = 65_537n;

/**
 * True if nodes accept the certificate: at most 2 KiB; a P-256 key, or an RSA key of 2048 or 4096 bits with exponent 65537
 * (avalanchego:staking/parse.go).
 */
export function isStakingCertificate(certificate: Buffer): boolean {
  if (certificate.length > MAX_CERTIFICATE_BYTES) return false;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = new X509Certificate(certificate).publicKey;
    if (asymmetricKeyType === "ec") return asymmetricKeyDetails?.namedCurve === "prime256v1";
    return (
      asymmetricKeyType === "rsa" &&
      RSA_BITS.has(asymmetricKeyDetails?.modulusLength) &&
      asymmetricKeyDetails?.publicExponent === RSA_EXPONENT
    );
  } catch {
    return false;
  }
}
