import { z } from "zod";
import { parseNodeId } from "../../formats/id-text.ts";
import { port, url } from "./fields.ts";

/** The setting `signatures`. */
export const signatureSettings = z.strictObject({
  isOn: z
    .boolean()
    .default(true)
    .describe(
      "Whether `npm start` starts a signature service, if `serviceUrl` is not set. If it is `false` and `serviceUrl` is not set, requests for signatures fail with `UNAVAILABLE`.",
    ),
  serviceUrl: url
    .optional()
    .describe(
      "Base URL of a signature service that runs in another process (`moraine start --only signatures`). If not set, `npm start` starts one. A signatures subgraph in a process of its own needs it.",
    ),
  allowPrivateAddresses: z
    .boolean()
    .default(false)
    .describe(
      "Whether to connect to validators at private addresses (such as `10.0.0.0/8`) that a node names. Addresses of this machine are always allowed for a network other than mainnet (1) and Fuji (5) whose first node has an address of this machine. Addresses in `primaryNetworks[].signatures.peers` are always allowed.",
    ),
});

const peer = z.strictObject({
  nodeId: z
    .string()
    .refine((text) => parseNodeId(text) !== null, "must be a node id such as NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg")
    .describe("Node id of the validator."),
  host: z.string().min(1).describe("IP address or host name."),
  port: port.min(1).describe("Staking port (`--staking-port`), usually 9651."),
});

/** The setting `primaryNetworks[].signatures`. */
export const networkSignatures = z.strictObject({
  aggregatorUrl: url
    .optional()
    .describe(
      "Base URL of a signature-aggregator of icm-services. If set, signatures of this network are requested from it instead of the validators. Its answers are verified in the same way.",
    ),
  peers: z
    .array(peer)
    .default([])
    .describe(
      "Addresses of validators that the network's node does not know. The addresses of other validators are requested from the node (`info.peers`) and from validators.",
    ),
});
