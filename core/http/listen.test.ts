import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "../../test/support/node/listen.ts";
import { ConfigError } from "../config/config.ts";
import { type ListenAddress, listenAt } from "./listen.ts";

/** The error of a server that cannot listen there. */
async function refusalOf(address: ListenAddress): Promise<unknown> {
  const server = createServer();
  try {
    await listenAt(server, address);
    return `listens at port ${(server.address() as AddressInfo).port}`;
  } catch (error) {
    return error;
  } finally {
    server.close();
  }
}

describe("a server that cannot listen names the setting and what to do", () => {
  it.each([
    ["192.0.2.1", "this machine does not have that address: choose one of its own"],
    ["2001:db8::1", "this machine "],
    ["fe80::1", "this machine "],
    ["no-such-host.invalid", "this name has no address: correct it, or write an address"],
    ["http://127.0.0.1", "this name has no address: correct it, or write an address"],
    ["127.0.0.1:4000", "this name has no address: correct it, or write an address"],
  ])("for the host %s", async (host, mistake) => {
    for (const hostSetting of [undefined, "observability.host"] as const) {
      const error = await refusalOf({ host, port: 0, ...(hostSetting && { hostSetting }) });
      expect(error).toBeInstanceOf(ConfigError);
      expect(String(error)).toContain(`setting ${hostSetting ?? "host"} is "${host}": ${mistake}`);
    }
  });

  it.each([undefined, "metricsPort", "observability.port"])("for a port in use, setting %s", async (portSetting) => {
    await using other = await listen(() => {});
    const { port } = other;
    const error = await refusalOf({ host: "127.0.0.1", port, ...(portSetting && { portSetting }) });
    expect(error).toEqual(
      new ConfigError(`setting ${portSetting ?? "port"} is ${port}: another process listens there`),
    );
  });

  const firstFreePort = Number(readFileSync("/proc/sys/net/ipv4/ip_unprivileged_port_start", "utf8"));
  const itWithPrivilegedPorts = firstFreePort > 1 ? it : it.skip;
  itWithPrivilegedPorts("for a port that needs privileges", async () => {
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(String(await refusalOf({ host: "127.0.0.1", port: 1 }))).toContain(
        "setting port is 1: this user may not listen on it: choose a port above 1023",
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});
