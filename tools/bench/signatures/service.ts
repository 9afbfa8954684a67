import { readdirSync, readlinkSync } from "node:fs";
import { configSchema } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { startService } from "../../../signatures/service/service.ts";
import { parentInput, serveParent } from "../child.ts";

/** The value that the parent passes to the signature service. */
export interface ServiceInput {
  readonly url: string;
  /** As in the configuration file. */
  readonly network: object;
  readonly dataDirectory: string;
}

const { url, network, dataDirectory } = parentInput() as ServiceInput;
const service = await startService({
  config: configSchema.parse({ dataDirectory, primaryNetworks: [network] }),
  databaseUrl: url,
  host: "127.0.0.1",
  port: 0,
  logger: createLogger("error"),
});

async function total(name: "connections" | "pendingRequests" | "requests"): Promise<number> {
  return (await service.counts()).reduce((sum, counts) => sum + counts[name], 0);
}

/** Open sockets of this process, of any kind. Linux only. */
function openSockets(): number {
  const descriptors = readdirSync("/proc/self/fd");
  return descriptors.filter((descriptor) => targetOf(descriptor).startsWith("socket:")).length;
}

function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // The descriptor of the directory itself is closed already.
    return "";
  }
}

serveParent(service.port, {
  connections: () => total("connections"),
  pending: () => total("pendingRequests"),
  requests: () => total("requests"),
  sockets: openSockets,
});
