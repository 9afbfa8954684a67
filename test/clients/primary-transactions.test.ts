import { BadRequestError, NotFoundError } from "@avalanche-sdk/chainkit/models/errors";
import { testConfig } from "../support/config.ts";
import { servedNetworks } from "../support/indexed/alpha-network.ts";
import { type ReplayedPrimary, replayPrimary } from "../support/indexed/replayed-primary.ts";
import { loadOfficialLibrary } from "../support/oracle/official-library.ts";
import { type PrimaryOracle, readPrimaryOracle } from "../support/oracle/primary-oracle.ts";
import { describeRecordings } from "../support/recorded/primary-vectors.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { createOfficialClient } from "./official-client.ts";

const { transactions } = createOfficialClient().data.primaryNetwork;

type Listing = Parameters<typeof transactions.listLatest>[0];
// biome-ignore lint/suspicious/noExplicitAny: three shapes, of which the client says only that one fits
type Listed = Record<string, any>;

describeRecordings(
  "the official client in the hosted dialect, for E5 transactions",
  (folder) => {
    let database: ReplayedPrimary;
    let stack: Stack;
    let oracle: PrimaryOracle;

    beforeAll(async () => {
      oracle = readPrimaryOracle(folder, await loadOfficialLibrary());
      database = await replayPrimary(folder);
      stack = await startStack({ database, config: { ...testConfig(), primaryNetworks: servedNetworks(folder) } });
    });
    afterAll(async () => {
      await stack[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    });

    /** Every page; one that the client's schema refuses throws, with the reasons in `cause.issues`. */
    async function all(listing: Listing): Promise<Listed[]> {
      const found: Listed[] = [];
      for await (const { result } of await transactions.listLatest(listing, { serverURL: `${stack.url}/hosted` })) {
        expect(result.chainInfo).toEqual({ chainName: listing.blockchainId, network: "fuji" });
        found.push(...result.transactions);
      }
      return found;
    }

    it.each([
      ["P", "p-chain", 100],
      ["X", "x-chain", 100],
      ["X", "x-chain", 13],
      ["C", "c-chain", 7],
    ] as const)("lists those of the %s-Chain in pages of %s %i", async (chain, blockchainId, pageSize) => {
      const found = await all({ blockchainId, pageSize });
      const place = ({ txHash, txType }: Listed) => [txHash, txType];
      expect(found.map(place)).toEqual(oracle[chain].toReversed().map(place));
      for (const [index, { consumedUtxos = [], emittedUtxos = [] }] of found.toReversed().entries()) {
        const { consumed = [], emitted = [] } = oracle[chain][index] ?? {};
        const amounts = (emittedUtxos as Listed[]).map(({ utxoId, asset }) => [utxoId, asset.amount]);
        expect((consumedUtxos as Listed[]).map(({ utxoId }) => utxoId)).toEqual(consumed);
        expect(amounts).toEqual(emitted.map(({ utxoId, amount }) => [utxoId, amount]));
      }
    });

    it("lists X-Chain transactions of every type, in blocks and in vertices", async () => {
      const found = await all({ blockchainId: "x-chain", pageSize: 100 });
      expect(found.map(({ txType }) => txType)).toEqual(expect.arrayContaining(["CreateAssetTx", "OperationTx"]));
      const inVertices = oracle.X.filter(({ blockNumber }) => blockNumber === null).length;
      expect(found.filter(({ chainFormat }) => chainFormat === "non-linear")).toHaveLength(inVertices);
      for (const { chainFormat, vertices, blockHeight, blockHash } of found) {
        const isInVertex = chainFormat === "non-linear";
        expect([Array.isArray(vertices), blockHeight === undefined, blockHash === undefined]).toEqual(
          Array(3).fill(isInVertex),
        );
      }
      const created = found.filter(({ txType }) => txType === "CreateAssetTx").map(({ assetCreated }) => assetCreated);
      const json = oracle.X.filter(({ txType }) => txType === "CreateAssetTx").toReversed();
      expect(
        created.map(({ assetId, name, symbol, denomination }) => [assetId, name, symbol, String(denomination)]),
      ).toEqual(json.map(({ txHash, json: { name, symbol, denomination } }) => [txHash, name, symbol, denomination]));
      expect(new Set(created.map(({ type, cap }) => `${type} ${cap}`))).toEqual(
        new Set(["secp256k1 fixed", "secp256k1 variable", "nft variable"]),
      );
    });

    it("lists C-Chain transactions with the accounts that they debit and credit", async () => {
      const found = await all({ blockchainId: "c-chain", pageSize: 100 });
      for (const [index, { evmInputs = [], evmOutputs = [], timestamp, blockHeight }] of found.toReversed().entries()) {
        const { json = {}, blockTimestamp, blockNumber } = oracle.C[index] ?? {};
        const side = ({ fromAddress, toAddress = fromAddress, asset }: Listed) => [
          toAddress.toLowerCase(),
          asset.assetId,
          asset.amount,
        ];
        const expected = (accounts: Listed[] = []) =>
          accounts.map(({ address, assetID, amount }) => [`0x${address}`, assetID, amount]);
        expect([timestamp, String(blockHeight)]).toEqual([blockTimestamp, blockNumber]);
        expect([evmInputs.map(side), evmOutputs.map(side)]).toEqual([
          expected(json["evmInputs"]),
          expected(json["evmOutputs"]),
        ]);
      }
    });

    it("lists the transactions of an address by type, time and order", async () => {
      const [address = ""] = oracle.P.at(-1)?.owners ?? [];
      const own = oracle.P.filter(({ owners }) => owners.has(address));
      const txTypes = ["BaseTx", "ExportTx", "ImportTx"] as const;
      const found = await all({
        blockchainId: "p-chain",
        addresses: `P-${address}`,
        txTypes: [...txTypes],
        sortOrder: "asc",
      });
      expect(found.map(({ txHash }) => txHash)).toEqual(
        own.filter(({ txType }) => txTypes.some((one) => one === txType)).map(({ txHash }) => txHash),
      );
      const endTimestamp = found.at(-1)?.["blockTimestamp"] as number;
      const before = await all({ blockchainId: "p-chain", addresses: address, startTimestamp: 0, endTimestamp });
      expect(before.every(({ blockTimestamp }) => blockTimestamp < endTimestamp)).toBe(true);
    });

    it("throws the client's error classes for refused requests", async () => {
      await expect(all({ blockchainId: "p-chain", txTypes: ["BaseTx"] })).rejects.toBeInstanceOf(BadRequestError);
      await expect(all({ blockchainId: "p-chain", addresses: "nobody" })).rejects.toBeInstanceOf(BadRequestError);
      await expect(all({ blockchainId: "p-chain", network: "mainnet" })).rejects.toBeInstanceOf(NotFoundError);
    });
  },
  { inShortForm: 1 },
);
