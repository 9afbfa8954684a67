import { generateKeyPairSync, sign } from "node:crypto";

/** A private key and a self-signed certificate, as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const ECDSA_WITH_SHA256 = oid("2a8648ce3d040302");
const COMMON_NAME = oid("550403");
const SUBJECT_ALT_NAME = oid("551d11");
const HOUR_MS = 3_600_000;

/**
 * Creates a certificate for a test's HTTPS server with these names and the address 127.0.0.1. Default: it began an hour ago, and is valid for
 * another hour.
 */
export function selfSigned(
  names: readonly string[],
  [fromMs, untilMs] = [Date.now() - HOUR_MS, Date.now() + HOUR_MS],
): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from("a test")))));
  const altNames = sequence(
    ...names.map((text) => der(0x82, Buffer.from(text))),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const signed = sequence(
    der(0xa0, integer(2)),
    integer(Date.now()),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(time(fromMs), time(untilMs)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, altNames)))),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", signed, privateKey)]));
  const body = sequence(signed, sequence(ECDSA_WITH_SHA256), signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...items: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(items));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

/** An INTEGER in DER. The value must be positive. */
function integer(value: number): Buffer {
  const hex = value.toString(16);
  return der(0x02, Buffer.from(`00${hex.length % 2 ? "0" : ""}${hex}`.replace(/^00(?=[0-7])/, ""), "hex"));
}

/** GeneralizedTime. */
function time(ms: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "")}`));
}
