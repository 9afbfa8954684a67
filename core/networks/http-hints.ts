const UNTRUSTED =
  ": no authority that this machine trusts has signed its certificate: name the file of its authority in the environment variable NODE_EXTRA_CA_CERTS";

/** What to do about the code of a connection that failed, by the code. */
const HINTS_BY_CODE: readonly (readonly [code: RegExp, hint: string])[] = [
  [/^CERT_HAS_EXPIRED$/, ": its certificate has expired: renew it, and check the clock of this machine"],
  [/^CERT_NOT_YET_VALID$/, ": its certificate is not valid yet: check the clock of this machine"],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    ": its certificate is for another name: name the host in the URL as the certificate does",
  ],
  [/SELF_SIGNED|^UNABLE_TO_|^CERT_UNTRUSTED$/, UNTRUSTED],
  [
    /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST))$/,
    ": it does not use TLS at this port: begin its URL with http://, or name the port that uses TLS",
  ],
];

/** What a URL of avalanchego must be; starts with a colon. */
export const PATH_HINT =
  ": the URL of an EVM chain ends in /ext/bc/<alias or blockchain id>/rpc, and its node must track the chain's subnet; every other nodeUrl is the part before /ext, and the API must be on";

const HINTS_BY_STATUS: Readonly<Record<number, string>> = {
  403: ": if the URL names the node by a host name, start the node with --http-allowed-hosts and that name (avalanchego accepts only localhost and addresses by default), otherwise check the credentials",
  404: PATH_HINT,
};

/** What servers answer at a port that expects TLS: Go's, which avalanchego uses, and nginx. */
const TLS_EXPECTED = /HTTP request (was sent )?to (an )?HTTPS/i;

/**
 * What to do about an HTTP status with which a node refuses every request; starts with a colon. `body` is what the node answered. Empty for
 * other answers.
 */
export function hintFor(status: number, body = ""): string {
  if (status === 400 && TLS_EXPECTED.test(body)) return ": it expects TLS at this port: begin its URL with https://";
  return HINTS_BY_STATUS[status] ?? "";
}

/** What to do about a mistake of TLS, by the code of Node.js; starts with a colon. Empty for other codes. */
export function hintForCode(code: unknown): string {
  return HINTS_BY_CODE.find(([pattern]) => pattern.test(String(code)))?.[1] ?? "";
}
