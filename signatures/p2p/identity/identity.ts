import { createPrivateKey, randomBytes, sign, X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import { parseSecretKey, type SecretKey } from "../../bls/keys.ts";
import { signPossession } from "../../bls/possession.ts";
import { parseNodeCertificate } from "./node-certificate.ts";
import { addressBytes } from "./signed-address.ts";

/** Who this client is to nodes. */
export interface Identity {
  /** `NodeID-…`. L1s that admit only known nodes list it. */
  readonly nodeId: string;
  /** Certificate and key for TLS 1.3. */
  readonly secureContext: SecureContext;
  /** The address that handshakes contain, signed once. */
  readonly address: SignedAddress;
}

export interface SignedAddress {
  readonly ip: Uint8Array;
  readonly port: number;
  readonly timeSeconds: bigint;
  readonly addressSignature: Uint8Array;
  readonly blsSignature: Uint8Array;
}

/** Stands for no address, because this client accepts no connections. Nodes do not accept port 0. */
const NO_ADDRESS = { ip: Buffer.of(0, 0, 0, 0), port: 1 };

/**
 * Makes an identity of a file with certificate and private key in PEM form. The BLS key is new each time: nodes check its
 * signature only for validators. Nodes accept an address that was signed long ago, so it is signed only here, which takes about
 * 10 ms.
 */
export function createIdentity(pem: string, nowSeconds: number): Identity {
  const certificate = new X509Certificate(pem);
  const key = createPrivateKey(pem);
  const timeSeconds = BigInt(nowSeconds);
  const bytes = addressBytes({ ...NO_ADDRESS, timeSeconds });
  return {
    nodeId: parseNodeCertificate(certificate.raw).nodeId,
    secureContext: createSecureContext({
      cert: certificate.toString(),
      key: key.export({ type: "pkcs8", format: "pem" }),
      minVersion: "TLSv1.3",
    }),
    address: {
      ...NO_ADDRESS,
      timeSeconds,
      addressSignature: sign("sha256", bytes, key),
      blsSignature: signPossession(createBlsKey(), bytes),
    },
  };
}

/** A random number below the group's order, which has 255 bits. */
function createBlsKey(): SecretKey {
  const bytes = randomBytes(32);
  return parseSecretKey(Buffer.concat([Buffer.of((bytes[0] ?? 0) & 0x3f), bytes.subarray(1)]));
}
