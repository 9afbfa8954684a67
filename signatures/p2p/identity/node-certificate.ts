import { createHash, hash, type KeyObject, X509Certificate } from "node:crypto";
import { formatNodeId } from "../../../core/formats/id-text.ts";
import { ProtocolViolation } from "../protocol-violation.ts";

/** The longest certificate that nodes accept, in bytes (avalanchego: staking/parse.go). */
const MAX_CERTIFICATE_BYTES = 2_048;
const RSA_MODULUS_BITS: ReadonlySet<unknown> = new Set([2_048, 4_096]);
const RSA_EXPONENT = 65_537n;

/** A certificate that a node uses: it identifies the node and holds the key that signs its address. */
export interface NodeCertificate {
  /** `NodeID-…` */
  readonly nodeId: string;
  readonly nodeIdBytes: Uint8Array;
  readonly publicKey: KeyObject;
}

/** Reads a certificate in DER form. Throws `ProtocolViolation` if nodes do not accept it. */
export function parseNodeCertificate(der: Uint8Array): NodeCertificate {
  if (der.length > MAX_CERTIFICATE_BYTES)
    throw new ProtocolViolation(`the certificate has ${der.length} bytes; the limit is ${MAX_CERTIFICATE_BYTES}`);
  const { publicKey } = parsed(der);
  if (!isKeyAccepted(publicKey))
    throw new ProtocolViolation("the certificate's key is neither ECDSA P-256 nor RSA with 2048 or 4096 bits");
  const nodeIdBytes = nodeIdOf(der);
  return { nodeId: formatNodeId(nodeIdBytes.toString("hex")), nodeIdBytes, publicKey };
}

/** The 20 bytes that identify the node with this certificate: RIPEMD-160 of its SHA-256. */
export function nodeIdOf(der: Uint8Array): Buffer {
  return createHash("ripemd160")
    .update(hash("sha256", der, "buffer"))
    .digest();
}

function parsed(der: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch {
    throw new ProtocolViolation("the certificate is malformed");
  }
}

function isKeyAccepted({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === "ec") return asymmetricKeyDetails?.namedCurve === "prime256v1";
  return (
    asymmetricKeyType === "rsa" &&
    RSA_MODULUS_BITS.has(asymmetricKeyDetails?.modulusLength) &&
    asymmetricKeyDetails?.publicExponent === RSA_EXPONENT
  );
}
