import type { Config } from "../../../core/config/config-schema.ts";
import type { ExportRequest } from "../../../core/database/operations.ts";
import { testConfig } from "../../../test/support/config.ts";
import { type OpenedSource, primaryRequest, withSource } from "../../../test/support/exported-rows.ts";
import { isFullRun } from "../../../test/support/full.ts";
import { servedCChain, servedNetworks } from "../../../test/support/indexed/alpha-network.ts";
import { openSnapshotReplay, type SnapshotReplay } from "../../../test/support/indexed/primary-snapshots.ts";
import { describeAllRecordings } from "../../../test/support/recorded/primary-vectors.ts";

/** Number of times at which an attempt begins, before all blocks are indexed. */
const STAGES = isFullRun ? 9 : 4;

describeAllRecordings(
  "bounds in the network",
  (folder) => {
    let opened: SnapshotReplay;
    let config: Config;

    beforeAll(async () => {
      opened = await openSnapshotReplay(folder);
      config = { ...testConfig(), primaryNetworks: servedNetworks(folder), evmChains: servedCChain(folder) };
    });
    afterAll(() => opened?.[Symbol.asyncDispose]());

    /** All that an attempt reads of a request, with the bounds of an earlier attempt or its own. */
    const attempt = (request: ExportRequest, earlier?: Parameters<typeof withSource>[4]) =>
      withSource(
        opened.database.pool,
        request,
        config,
        async ({ bounds, rows, countDays }) => ({ bounds, rows: await rows(), days: await countDays() }),
        earlier,
      );

    it("give the same rows whichever blocks are indexed later, in whichever order of the chains", async () => {
      const { network, entries, atomicBlocks } = opened.recording;
      const owners = new Set<string>();
      const attempts: { readonly request: ExportRequest; readonly found: Awaited<ReturnType<typeof attempt>> }[] = [];
      // The C-Chain is ahead of the X-Chain, and the X-Chain of the P-Chain, so that imports are indexed before their exports.
      for (let stage = 1; stage <= STAGES; stage++) {
        const until = (length: number, share: number) => Math.ceil(length * Math.min(1, share));
        await opened.advanceTo({
          P: until(entries.P.length, stage / STAGES),
          X: until(entries.X.length, (stage * 1.5) / STAGES),
          C: until(atomicBlocks.length, (stage * 3) / STAGES),
        });
        const { rows } = await opened.database.pool.query<{ owner: string }>(
          `SELECT '0x' || encode(owner, 'hex') AS owner FROM utxos, unnest(addresses) AS owner
           UNION SELECT '0x' || encode(address, 'hex') FROM primary_address_transactions WHERE chain = 'C'`,
        );
        for (const { owner } of rows) owners.add(owner);
        const all = [...owners].sort();
        for (const { request, found } of attempts) expect(await attempt(request, found.bounds)).toEqual(found);
        for (const chains of [["P", "X", "C"], ["C"]] as const) {
          const request = primaryRequest({ networkId: network.networkId, chains, addresses: all, evmAddresses: all });
          attempts.push({ request, found: await attempt(request) });
        }
      }
      const holds = (type: "TRANSACTION_EXPORT_PRIMARY_NETWORK" | "TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING") =>
        Promise.all(
          [attempts.at(0), attempts.at(-1)].map((one) => {
            const request = primaryRequest({ networkId: network.networkId, type });
            const check = ({ source, client, bounds }: OpenedSource) => source.areBlocksStillIndexed(client, bounds);
            // The blocks of the EVM chain, with which the bound of the C-Chain is compared, are not indexed here.
            const earlier = one?.found.bounds.filter(({ chain }) => chain !== "C");
            return withSource(opened.database.pool, request, config, check, earlier);
          }),
        );
      expect(await holds("TRANSACTION_EXPORT_PRIMARY_NETWORK")).toEqual([true, true]);
      // Later blocks change earlier stakes, so that only a file at the last block can be continued.
      expect(await holds("TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING")).toEqual([false, true]);
      expect(attempts.some(({ found }) => found.rows.some(({ Owners }) => Owners === ""))).toBe(true);
    });
  },
  { inShortForm: 1 },
);
