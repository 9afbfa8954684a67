import { createPrivateKey, createPublicKey, type KeyObject, sign, X509Certificate } from "node:crypto";
import { p256 } from "@noble/curves/nist.js";
import { BIT_STRING, certificateOf, der, INTEGER, OCTET_STRING, SEQUENCE } from "./der.ts";
import { nodeIdOf } from "./node-id.ts";
import { rsaKeyOf } from "./rsa-key.ts";
import { secretOf, sha256 } from "./seed.ts";

/** Key and certificate of a node's TLS connections. */
export interface TlsIdentity {
  readonly key: KeyObject;
  readonly certificate: Buffer;
  readonly nodeId: string;
  /** ECDSA in ASN.1 form, or RSA PKCS#1 v1.5, over the SHA-256 of a message. */
  sign(message: Uint8Array): Buffer;
}

const EC_P256 = Buffer.from("301306072a8648ce3d020106082a8648ce3d030107", "hex");
const ECDSA_SHA256 = der(SEQUENCE, Buffer.from("06082a8648ce3d040302", "hex"));
const RSA_SHA256 = der(SEQUENCE, Buffer.from("06092a864886f70d01010b0500", "hex"));

/** The P-256 identity of a named node. The identities of the nodes in the bundled recordings were derived in the same way. */
export function p256Identity(seed: string, name: string): TlsIdentity {
  const secret = scalarOf(seed, `tls:${name}`);
  const point = p256.getPublicKey(secret, false);
  const publicKeyInfo = der(SEQUENCE, EC_P256, der(BIT_STRING, Buffer.of(0), point));
  const ecKey = der(
    SEQUENCE,
    der(INTEGER, Buffer.of(1)),
    der(OCTET_STRING, secret),
    der(0xa1, der(BIT_STRING, Buffer.of(0), point)),
  );
  const pkcs8 = der(SEQUENCE, der(INTEGER, Buffer.of(0)), EC_P256, der(OCTET_STRING, ecKey));
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  // The library signs deterministically (RFC 6979), OpenSSL does not: the node id must follow from the seed.
  const signCertificate = (content: Buffer) => p256.sign(content, secret, { lowS: false, format: "der" });
  return identityOf(key, certificateOf({ publicKeyInfo, algorithm: ECDSA_SHA256, sign: signCertificate }));
}

function scalarOf(seed: string, name: string): Buffer {
  let secret = secretOf(seed, name);
  while (!p256.utils.isValidSecretKey(secret)) secret = sha256(secret);
  return secret;
}

/** The RSA-4096 identity of a named node, as avalanchego made them before P-256. */
export function rsaIdentity(seed: string, name: string): TlsIdentity {
  const key = rsaKeyOf(`moraine:${seed}:rsa:${name}`);
  const publicKeyInfo = createPublicKey(key).export({ format: "der", type: "spki" });
  const signCertificate = (content: Buffer) => sign("sha256", content, key);
  return identityOf(key, certificateOf({ publicKeyInfo, algorithm: RSA_SHA256, sign: signCertificate }));
}

/** An identity that is given as PEM texts. Throws if the certificate is of another key. */
export function pemIdentity(keyPem: string, certificatePem: string): TlsIdentity {
  const key = createPrivateKey(keyPem);
  const certificate = new X509Certificate(certificatePem);
  if (!certificate.checkPrivateKey(key)) throw new Error("a node's TLS certificate is not of its key");
  return identityOf(key, certificate.raw);
}

function identityOf(key: KeyObject, certificate: Buffer): TlsIdentity {
  return { key, certificate, nodeId: nodeIdOf(certificate), sign: (message) => sign("sha256", message, key) };
}
