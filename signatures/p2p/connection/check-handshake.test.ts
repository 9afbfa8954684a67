import { createPrivateKey, sign, X509Certificate } from "node:crypto";
import { readConversations, readRules } from "../../../test/support/p2p/recorded-conversation.ts";
import { parseNodeCertificate } from "../identity/node-certificate.ts";
import { addressBytes } from "../identity/signed-address.ts";
import type { Handshake } from "../wire/handshake.ts";
import { decodeMessage } from "../wire/messages.ts";
import { checkHandshake } from "./check-handshake.ts";

const [conversation] = readConversations();
if (!conversation) throw new Error("no conversation is recorded");
const { unixSeconds, serverPem } = conversation;
const certificate = parseNodeCertificate(new X509Certificate(serverPem).raw);
const key = createPrivateKey(serverPem);
const message = decodeMessage(conversation.messages[1]?.bytes ?? Buffer.alloc(0));
if (message.kind !== "handshake") throw new Error("the node's first message is no handshake");
const valid = message.handshake;

const check = (handshake: Handshake) => checkHandshake(handshake, certificate, 12_345, unixSeconds);

/** A handshake whose address is signed again. */
function signed(changed: Partial<Pick<Handshake, "ip" | "port" | "signingTimeSeconds">>): Handshake {
  const handshake = { ...valid, ...changed };
  const { ip, port, signingTimeSeconds: timeSeconds } = handshake;
  const signature =
    port < 65_536 && ip.length < 17 ? sign("sha256", addressBytes({ ip, port, timeSeconds }), key) : Buffer.of(1);
  return { ...handshake, addressSignature: signature };
}
const atTime = (seconds: number) => ({ ...valid, timeSeconds: BigInt(unixSeconds + seconds) });
const signedAt = (seconds: number) => signed({ signingTimeSeconds: BigInt(unixSeconds + seconds) });
const subnets = (...trackedSubnets: Buffer[]) => ({ ...valid, trackedSubnets });
const filter = (bytes: Uint8Array, salt = Buffer.alloc(32)) => ({ ...valid, knownPeers: { filter: bytes, salt } });
const smallest = Buffer.concat([Buffer.of(1), Buffer.alloc(9)]);

/** The variants of a handshake that were sent to a real node, by their names in the recording. */
const VARIANTS: Readonly<Record<string, Handshake>> = {
  unchanged: valid,
  "network_id 1": { ...valid, networkId: 1 },
  "my_time -120 s off": atTime(-120),
  "my_time -61 s off": atTime(-61),
  "my_time -58 s off": atTime(-58),
  "my_time 58 s off": atTime(58),
  "my_time 61 s off": atTime(61),
  "my_time 120 s off": atTime(120),
  "ip_signing_time 50 s ahead": signedAt(50),
  "ip_signing_time 120 s ahead": signedAt(120),
  "ip_signing_time one year old": signedAt(-31_536_000),
  "ip 0.0.0.0 port 1": signed({ ip: Buffer.alloc(4), port: 1 }),
  "port 0": signed({ port: 0 }),
  "ip_addr of 16 bytes": signed({ ip: Buffer.from("00000000000000000000ffff7f000001", "hex") }),
  "ip_addr of 5 bytes": { ...valid, ip: Buffer.alloc(5) },
  "ip_addr missing": { ...valid, ip: Buffer.alloc(0) },
  "port 70000": { ...valid, port: 70_000 },
  "ip_node_id_sig wrong": { ...signed({ port: 9_999 }), port: valid.port },
  "ip_node_id_sig missing": { ...valid, addressSignature: Buffer.alloc(0) },
  "ip_bls_sig missing": { ...valid, blsSignature: Buffer.alloc(0) },
  "ip_bls_sig random bytes": { ...valid, blsSignature: Buffer.alloc(96, 0xa7) },
  "client name foo": { ...valid, client: { name: "foo", major: 1, minor: 14, patch: 2 } },
  "client name empty": { ...valid, client: { name: "", major: 1, minor: 14, patch: 2 } },
  "client missing": { ...valid, client: null },
  "tracked_subnets 16": subnets(...Array(16).fill(Buffer.alloc(32, 1))),
  "tracked_subnets 17": subnets(...Array(17).fill(Buffer.alloc(32, 1))),
  "tracked_subnets with the primary network": subnets(Buffer.alloc(32)),
  "tracked_subnets of 31 bytes": subnets(Buffer.alloc(31)),
  "tracked_subnets twice the same": subnets(Buffer.alloc(32, 1), Buffer.alloc(32, 1)),
  "known_peers absent": { ...valid, knownPeers: null },
  "known_peers empty filter": filter(Buffer.alloc(0)),
  "known_peers smallest filter": filter(smallest),
  "known_peers filter of 9 bytes": filter(smallest.subarray(0, 9)),
  "known_peers salt of 33 bytes": filter(smallest, Buffer.alloc(33)),
  "known_peers without salt": filter(smallest, Buffer.alloc(0)),
  "all_subnets false": { ...valid, allSubnets: false },
  "upgrade_time 5": { ...valid, upgradeTimeSeconds: 5n },
};
/** Rules that hold for clients only, or that are about TLS: this client talks to nodes of every version. */
const OF_CLIENTS = /^client 1\.|^client 2\.|^supported_acps|^the same acp|^TLS|^no certificate|^SNI/;
/** A BLS signature that is infinity, or by another key, passes at nodes. Nobody has a reason to send infinity. */
const OF_BLS = /^ip_bls_sig (valid over something else|infinity)$/;

describe("the handshake of a node", () => {
  const rules = readRules().filter(
    ({ group, name }) => group === "handshake" && !OF_CLIENTS.test(name) && !OF_BLS.test(name),
  );

  it.each(rules)("is judged as nodes judge it: $name", ({ name, result }) => {
    const variant = VARIANTS[name];
    if (!variant) throw new Error(`no variant for ${name}`);
    if (result.startsWith("accepted")) expect(() => check(variant)).not.toThrow();
    else expect(() => check(variant)).toThrow(/node/);
  });

  it("is judged in every recorded way", () => {
    expect(rules.map(({ name }) => name).sort()).toEqual(Object.keys(VARIANTS).sort());
  });
});
