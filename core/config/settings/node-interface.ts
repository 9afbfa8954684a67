import { z } from "zod";
import { headers, milliseconds, nodeBaseUrl, positive } from "./fields.ts";
import { goDuration } from "./go-duration.ts";
import { networkName } from "./network.ts";

/** The setting `nodeInterface`. */
export const nodeInterface = z.strictObject({
  network: networkName
    .optional()
    .describe(
      "Network whose node interface is served. If not set: the network of the first entry of `primaryNetworks`, else of the first entry of `evmChains`, else `mainnet`.",
    ),
  networkId: positive
    .optional()
    .describe(
      "Id of that network; the node must belong to it. If not set: the id of its entry in `primaryNetworks`, else 1 for mainnet and 5 for Fuji. Needed for a network of your own without an entry in `primaryNetworks`.",
    ),
  nodeUrl: nodeBaseUrl
    .optional()
    .describe(
      "Base URL of the node, without the path of an API, such as `http://127.0.0.1:9650`. Never returned to callers. If not set: the node or nodes of the network's entry in `primaryNetworks`.",
    ),
  nodeHeaders: headers
    .optional()
    .describe(
      "HTTP headers sent with each request to that node. If not set: the headers of the entry that `nodeUrl` is taken from. Not sent to nodes of `nodeUrls`.",
    ),
  askNode: z
    .boolean()
    .default(true)
    .describe(
      "Whether to send requests to a node. If `false`, the node interface returns only indexed data and settings.",
    ),
  public: z
    .boolean()
    .default(false)
    .describe(
      "Whether the server is open to the public. If `true`, all health reports, `info.getNodeID`, `info.getNodeIP` and `info.getVMs` are refused with `NOT_PUBLIC`, and callers of the graph do not have the fields with the same data.",
    ),
  healthCheckFrequency: goDuration
    .default("30s")
    .describe("Pause between two runs of the health checks, as a Go duration. Also set by `--health-check-frequency`."),
  allowedHosts: z
    .array(z.string().min(1))
    .default(["*"])
    .describe(
      'Values of the `Host` header that `/ext` accepts; `*` accepts any. The default of avalanchego is `["localhost"]`.',
    ),
  requiredAvailableDiskSpacePercentage: z
    .number()
    .min(0)
    .max(50)
    .default(3)
    .describe("Free space on the disk of `dataDirectory`, in percent, below which the health check `diskspace` fails."),
  requestTimeoutMs: milliseconds.default(5_000).describe("Timeout of one request to the node."),
});
