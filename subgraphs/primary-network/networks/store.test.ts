import { ALPHA } from "../../../recordings/replay-node.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { servedNetworks } from "../../../test/support/indexed/alpha-network.ts";
import { replayInto } from "../../../test/support/indexed/replayed-primary.ts";
import { readPrimaryRecording } from "../../../test/support/recorded/primary-recording.ts";
import { createNetworks } from "./store.ts";

describe("served networks", () => {
  it("are the configured networks once their genesis is indexed, each read once", async () => {
    await using database = await createTestDatabase();
    const networks = createNetworks(database, { primaryNetworks: servedNetworks(ALPHA) });
    const unavailable = (why: string) => ({ code: "UNAVAILABLE", message: `network fuji is not indexed yet${why}` });
    const notStarted = unavailable(": its indexer has not started");
    await expect(networks.require("fuji")).rejects.toMatchObject(notStarted);
    await expect(networks.get("testnet")).rejects.toMatchObject(notStarted);
    expect(await networks.all()).toEqual([]);

    const reason = "the node's network is 5, not 76001";
    await database.pool.query(
      `INSERT INTO primary_progress (network_id, chain, state, reason, blocks_per_second, updated_at)
       VALUES (76001, 'X', 'WAITING', 'another', 0, 0), (76001, 'P', 'STOPPED', $1, 0, 0)`,
      [reason],
    );
    await expect(networks.require("fuji")).rejects.toMatchObject(unavailable(` (p-chain is STOPPED): ${reason}`));

    await replayInto(database.url, readPrimaryRecording(ALPHA));
    const [found] = await Promise.all([networks.require("testnet"), networks.require("fuji")]);
    expect(found).toMatchObject({ network: "fuji", networkId: "76001", hrp: "custom" });
    const statements = await statementsOf(async () => {
      expect(await networks.require("fuji")).toBe(found);
      expect(await networks.get("testnet")).toBe(found);
      expect(await networks.all()).toEqual([found]);
    });
    expect(statements).toEqual([]);
  });

  it("do not include a network that is not configured", async () => {
    await using database = await createTestDatabase();
    const none = createNetworks(database, { primaryNetworks: [] });
    expect([await none.get("mainnet"), await none.all()]).toEqual([null, []]);
    await expect(none.require("fuji")).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: "network fuji is not served; served networks: none",
    });
  });
});
