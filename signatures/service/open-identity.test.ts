import { KeyObject } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import "reflect-metadata";
import { X509CertificateGenerator } from "@peculiar/x509";
import { createLogLines } from "../../test/support/log-lines.ts";
import { SYSTEM_CLOCK } from "../clock.ts";
import { createCertificate } from "../p2p/identity/identity-file.ts";
import { openIdentity } from "./open-identity.ts";

const P384 = { name: "ECDSA", namedCurve: "P-384", hash: "SHA-256" };
const RSA_1024 = {
  name: "RSASSA-PKCS1-v1_5",
  modulusLength: 1_024,
  publicExponent: Uint8Array.of(1, 0, 1),
  hash: "SHA-256",
};

/** A certificate with a key of another kind than nodes accept. */
async function certificateWith(algorithm: typeof P384 | typeof RSA_1024): Promise<string> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const options = { name: "", signingAlgorithm: algorithm, keys };
  const certificate = await X509CertificateGenerator.createSelfSigned(options, crypto);
  return `${certificate.toString("pem")}\n${KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" })}`;
}

describe("a certificate file that cannot be used", () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "moraine-identity-"));
    path = join(directory, "staking-certificate.pem");
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it.each<[string, () => Promise<string>]>([
    ["is empty", async () => ""],
    ["is cut in the certificate", async () => (await createCertificate()).slice(0, 200)],
    ["is cut in the key", async () => (await createCertificate()).slice(0, -60)],
    [
      "has the key of another certificate",
      async () => {
        const [one, other] = await Promise.all([createCertificate(), createCertificate()]);
        return `${one.split("-----BEGIN PRIVATE")[0]}-----BEGIN PRIVATE${other.split("-----BEGIN PRIVATE")[1]}`;
      },
    ],
    ["has a key with P-384", () => certificateWith(P384)],
    ["has a key with RSA-1024", () => certificateWith(RSA_1024)],
  ])("is named with what to do if it %s, and the lock is given back", async (_case, content) => {
    writeFileSync(path, await content());
    await expectRefusal();
    rmSync(path);
    await expectUse();
  });

  it("is named if it is a directory", async () => {
    mkdirSync(path);
    await expectRefusal("it is not a file");
    rmSync(path, { recursive: true });
    await expectUse();
  });

  it("is named if its lock is a directory", async () => {
    mkdirSync(join(directory, "staking-certificate.lock"));
    const { logger } = createLogLines("warn");
    await expect(openIdentity({ directory, clock: SYSTEM_CLOCK, logger })).rejects.toMatchObject({
      name: "UnusableIdentity",
      message: expect.stringContaining("staking-certificate.lock is a directory, not a lock; delete it"),
    });
  });

  async function expectRefusal(reason = "") {
    const { logger } = createLogLines("warn");
    await expect(openIdentity({ directory, clock: SYSTEM_CLOCK, logger })).rejects.toMatchObject({
      name: "UnusableIdentity",
      message: expect.stringMatching(
        new RegExp(`^the certificate file ${path} cannot be used: .*${reason}.*Repair or delete it`),
      ),
    });
    expect(readdirSync(directory)).toEqual(["staking-certificate.pem"]);
  }

  async function expectUse() {
    const { logger, lines } = createLogLines("warn");
    const { identity, lock } = await openIdentity({ directory, clock: SYSTEM_CLOCK, logger });
    expect(identity.nodeId).toMatch(/^NodeID-/);
    expect(lock).not.toBeNull();
    expect(lines).toEqual([]);
  }
});
