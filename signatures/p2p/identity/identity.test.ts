import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConversations } from "../../../test/support/p2p/recorded-conversation.ts";
import { createIdentity } from "./identity.ts";
import { loadIdentityFile } from "./identity-file.ts";
import { parseNodeCertificate } from "./node-certificate.ts";
import { addressBytes, checkAddress, formatIp } from "./signed-address.ts";

describe("the identity of the client", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "moraine-identity-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("is created once, and only its owner can read it", async () => {
    const inside = join(directory, "p2p");
    const [one, other] = await Promise.all([loadIdentityFile(inside), loadIdentityFile(inside)]);
    expect(other).toBe(one);
    expect(await loadIdentityFile(inside)).toBe(one);
    expect(readdirSync(inside)).toEqual(["staking-certificate.pem"]);
    expect(statSync(join(inside, "staking-certificate.pem")).mode & 0o777).toBe(0o600);
    expect(createIdentity(one, 1).nodeId).toMatch(/^NodeID-/);
  });

  it("is made private again when others may read the file", async () => {
    await loadIdentityFile(directory);
    const path = join(directory, "staking-certificate.pem");
    chmodSync(path, 0o644);
    await loadIdentityFile(directory);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("signs an address that nodes accept", async () => {
    const pem = await loadIdentityFile(directory);
    const { address } = createIdentity(pem, 1_700_000_000);
    const certificate = Buffer.from(pem.split("-----")[2] ?? "", "base64");
    const { publicKey } = parseNodeCertificate(certificate);
    expect(() => checkAddress(address, address.addressSignature, publicKey, 1_700_000_000)).not.toThrow();
    expect(() => checkAddress({ ...address, port: 2 }, address.addressSignature, publicKey, 1_700_000_000)).toThrow(
      "signature",
    );
    expect(address.blsSignature).toHaveLength(96);
  });
});

describe("a node's certificate", () => {
  it("gives the node ids of the recorded conversations", () => {
    for (const { server, client } of readConversations()) {
      expect(parseNodeCertificate(Buffer.from(server.certificate, "hex")).nodeId).toBe(server.nodeID);
      expect(parseNodeCertificate(Buffer.from(client.certificate, "hex")).nodeId).toBe(client.nodeID);
    }
  });

  it("is refused if nodes refuse it", () => {
    expect(() => parseNodeCertificate(Buffer.alloc(2_049))).toThrow("the limit is 2048");
    expect(() => parseNodeCertificate(Buffer.alloc(100))).toThrow("malformed");
    // A recorded certificate with an Ed25519 key in the place of its own.
    const der = Buffer.from(readConversations()[0]?.client.certificate ?? "", "hex");
    const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ type: "spki", format: "der" });
    const ed25519 = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "der" });
    const at = der.indexOf(p256.subarray(0, 27));
    expect(at).toBeGreaterThan(0);
    const other = Buffer.concat([der.subarray(0, at), ed25519, der.subarray(at + p256.length)]);
    for (const lengthAt of [2, 5]) other[lengthAt] = (der[lengthAt] ?? 0) - (p256.length - ed25519.length);
    expect(() => parseNodeCertificate(other)).toThrow("neither ECDSA P-256 nor RSA");
  });
});

describe("an address", () => {
  it("is signed as 26 bytes, with IPv4 inside IPv6", () => {
    const claim = { ip: Buffer.of(127, 0, 0, 1), port: 9_651, timeSeconds: 2n };
    expect(addressBytes(claim).toString("hex")).toBe("00000000000000000000ffff7f00000125b30000000000000002");
  });

  it("has the usual text", () => {
    expect(formatIp(Buffer.of(10, 0, 0, 1))).toBe("10.0.0.1");
    expect(formatIp(Buffer.from("00000000000000000000ffff0a000001", "hex"))).toBe("10.0.0.1");
    expect(formatIp(Buffer.from("20010db8000000000000000000000001", "hex"))).toBe(
      "2001:0db8:0000:0000:0000:0000:0000:0001",
    );
  });
});
