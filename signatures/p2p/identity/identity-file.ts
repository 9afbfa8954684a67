import { KeyObject, randomBytes } from "node:crypto";
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../../core/errors/errors.ts";

/** Certificate and private key in PEM form. */
export const IDENTITY_FILE = "staking-certificate.pem";
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
/** The period of validity of certificates that avalanchego makes. */
const NOT_BEFORE = new Date(Date.UTC(2000, 0, 1));
const NOT_AFTER = new Date(Date.UTC(2100, 0, 1));

/**
 * Returns the staking certificate of the directory with its private key, in PEM form. It is created the first time, and kept,
 * because validators of some L1s admit only the node ids that they know. Only the owner can read the file. The content is not
 * checked.
 */
export async function loadIdentityFile(directory: string): Promise<string> {
  const path = join(directory, IDENTITY_FILE);
  if (!(await exists(path))) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await createFile(path, await createCertificate());
  }
  const file = await stat(path);
  if (!file.isFile()) throw new Error("it is not a file");
  if (file.mode & OTHERS) await chmod(path, OWNER_ONLY);
  return readFile(path, "utf8");
}

/** The file appears at its path only when it is complete. If another process has created it meanwhile, its file stays. */
async function createFile(path: string, content: string): Promise<void> {
  const unfinished = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    await writeFile(unfinished, content, { mode: OWNER_ONLY, flag: "wx", flush: true });
    await link(unfinished, path).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** A new self-signed certificate as nodes have it, ECDSA P-256 and without names, with its private key in PEM form. */
export async function createCertificate(): Promise<string> {
  // Loaded only here: it is needed once in the life of an installation.
  await import("reflect-metadata");
  const { X509CertificateGenerator } = await import("@peculiar/x509");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name: "", notBefore: NOT_BEFORE, notAfter: NOT_AFTER, signingAlgorithm: algorithm, keys },
    crypto,
  );
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" });
  return `${certificate.toString("pem").trim()}\n${key}`;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === "ENOENT") return false;
      throw error;
    },
  );
}
