import { createLogger } from "../../core/observability/logger.ts";
import { createHttpGraphClient } from "./http-graph-client.ts";

/** Port 1 of this machine: nothing listens there. */
const NO_GATEWAY = {
  url: "http://127.0.0.1:1/graphql",
  keyHeader: "x-service-api-key",
  logger: createLogger("silent"),
};

describe("a client of a gateway that does not answer", () => {
  it("stops waiting for the gateway when its signal is aborted", async () => {
    const stop = new AbortController();
    const reason = new Error("interrupted by SIGTERM");
    const client = createHttpGraphClient(NO_GATEWAY, stop.signal);
    stop.abort(reason);
    await expect(client).rejects.toBe(reason);
  });

  it("does not start waiting when its signal is aborted already", async () => {
    const reason = new Error("interrupted by SIGINT");
    const client = createHttpGraphClient(NO_GATEWAY, AbortSignal.abort(reason));
    await expect(client).rejects.toBe(reason);
  });
});
