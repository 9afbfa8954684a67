import type { Server } from "node:http";
import { ConfigError } from "../config/config.ts";
import { errorCode, quoted } from "../errors/errors.ts";

/** Where a server listens, and the settings that say so. */
export interface ListenAddress {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Default: `host`. */
  readonly hostSetting?: string;
  /** Default: `port`. */
  readonly portSetting?: string;
}

/** What is wrong with the host or the port, and what to do, by the code of Node.js. */
const MISTAKES: readonly (readonly [code: RegExp, setting: "host" | "port", mistake: string])[] = [
  [/^EADDRINUSE$/, "port", "another process listens there"],
  [
    /^(EACCES|EPERM)$/,
    "port",
    "this user may not listen on it: choose a port above 1023, or give the process the capability CAP_NET_BIND_SERVICE",
  ],
  [
    /^EADDRNOTAVAIL$/,
    "host",
    "this machine does not have that address: choose one of its own, 127.0.0.1 to be reached from this machine only, or 0.0.0.0 to be reached from everywhere",
  ],
  [/^(ENOTFOUND|EAI_[A-Z]+)$/, "host", "this name has no address: correct it, or write an address such as 127.0.0.1"],
  [
    /^(EINVAL|EAFNOSUPPORT|EPROTONOSUPPORT)$/,
    "host",
    "this machine cannot listen on that address: a link-local address needs its interface, as in fe80::1%eth0, and an IPv6 address needs a machine with IPv6",
  ],
];

/** Starts to listen. Rejects with `ConfigError`, which names the setting, if the host or the port cannot be used. */
export function listenAt(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, address)));
    server.listen(address.port, address.host, resolve);
  });
}

function listenError(error: Error, address: ListenAddress): Error {
  const { host, port, hostSetting = "host", portSetting = "port" } = address;
  const code = String(errorCode(error) ?? "");
  const [, setting, mistake] = MISTAKES.find(([pattern]) => pattern.test(code)) ?? [];
  if (!setting) return error;
  const named = setting === "host" ? `${hostSetting} is ${quoted(host)}` : `${portSetting} is ${port}`;
  return new ConfigError(`setting ${named}: ${mistake}`);
}
