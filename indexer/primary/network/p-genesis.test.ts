import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { decodePBlock } from "../../../core/formats/codec/blocks/p-blocks.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { nodeJsonOf } from "../../../test/support/recorded/primary-json.ts";
import {
  describeAllRecordings,
  factsOf,
  pairsOf,
  type RecordedPair,
  resultsIn,
} from "../../../test/support/recorded/primary-vectors.ts";
import { parseHex } from "../fetch/checked-hex.ts";
import { decodePGenesis, type PGenesis } from "./p-genesis.ts";
import { decodeXGenesis } from "./x-genesis.ts";

interface GenesisFile {
  readonly startTime: number;
  readonly message: string;
  readonly initialStakers: readonly unknown[];
  readonly allocations: readonly {
    readonly initialAmount: number;
    readonly unlockSchedule: readonly { readonly amount: number }[];
  }[];
}

describeAllRecordings("the genesis", (folder) => {
  let genesis: PGenesis;
  let bytes: { genesisID: string; avaxAssetID: string; platformGenesisBytes: string };
  let file: GenesisFile;
  let transactions: RecordedPair[];
  beforeAll(() => {
    bytes = JSON.parse(readFileSync(join(folder, "genesis-bytes.json"), "utf8"));
    file = JSON.parse(gunzipSync(readFileSync(join(folder, "genesis.json.gz"))).toString());
    genesis = decodePGenesis(parseHex(bytes.platformGenesisBytes, "genesis"));
    transactions = pairsOf(folder, "p-genesis-txs", "platform.getTx", "tx");
  });

  it("has the parent id of the P-Chain's block 0", () => {
    const [first] = pairsOf(folder, "p-blocks", "platform.getBlockByHeight", "block");
    expect(formatId(genesis.id)).toBe(bytes.genesisID);
    expect(decodePBlock(first?.bytes as Uint8Array).parentId).toBe(genesis.id);
  });

  it("has the node's transactions for its validators and chains", () => {
    const { prefix } = { prefix: factsOf(folder).hrp };
    const decoded = [...genesis.chains, ...genesis.validators].map((one) => nodeJsonOf(one, { chain: "P", prefix }));
    expect(genesis.validators).toHaveLength(file.initialStakers.length);
    expect(decoded).toHaveLength(transactions.length);
    expect(decoded).toEqual(expect.arrayContaining(transactions.map(({ json }) => json)));
  });

  it("has the node's names of its chains", () => {
    const chains = factsOf(folder).chains.filter(({ alias }) => alias === "X" || alias === "C");
    expect(genesis.chains.map(({ id, chainName }) => [formatId(id), chainName])).toEqual(
      chains.map(({ blockchainId, alias }) => [blockchainId, `${alias}-Chain`]),
    );
    const [xChain, cChain] = genesis.chains;
    expect(JSON.parse(Buffer.from(cChain?.genesisData ?? []).toString())).toHaveProperty("config.chainId");
    expect(decodeXGenesis(xChain?.genesisData as Uint8Array).map(({ alias }) => alias)).toEqual(["AVAX"]);
  });

  it("has the time, the message and the supply of its file", () => {
    const locked = file.allocations.flatMap(({ unlockSchedule }) => unlockSchedule.map(({ amount }) => amount));
    const supply = [...locked, ...file.allocations.map(({ initialAmount }) => initialAmount)];
    expect(genesis.timestamp).toBe(file.startTime);
    expect(genesis.message).toBe(file.message);
    expect(genesis.initialSupply).toBe(supply.reduce((sum, amount) => sum + BigInt(amount), 0n));
  });

  it("has outputs without a transaction, numbered from 0", () => {
    expect(genesis.utxos.map(({ outputIndex }) => outputIndex)).toEqual([...genesis.utxos.keys()]);
    expect(new Set(genesis.utxos.map(({ txId, assetId }) => `${formatId(txId)} ${formatId(assetId)}`))).toEqual(
      new Set([`11111111111111111111111111111111LpoYY ${bytes.avaxAssetID}`]),
    );
  });

  it("creates AVAX on the X-Chain with the node's transaction", () => {
    const { hrp } = factsOf(folder);
    const data = genesis.chains[0]?.genesisData as Uint8Array;
    const [avax] = decodeXGenesis(data);
    const [json] = pairsOf(folder, "x-txs", "avm.getTx", "tx");
    const { alias, ...transaction } = avax as NonNullable<typeof avax>;
    expect([alias, formatId(transaction.id)]).toEqual(["AVAX", bytes.avaxAssetID]);
    expect(nodeJsonOf(transaction, { chain: "X", prefix: hrp })).toEqual(json?.json);
    expect(resultsIn(folder, "x-txs", "avm.getAssetDescription")[0]?.text).toContain(`"name":"${transaction.name}"`);
  });
});
