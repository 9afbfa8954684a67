import { createHash } from "node:crypto";
import { all, hex, list, type Part, sized, text, u16, u32, u64, versioned } from "./encoding.ts";

/** SHA-256 in hex, which is the id of a block, a vertex or a transaction. */
export const idOf = (bytes: Part): string => createHash("sha256").update(bytes).digest("hex");

/** A signed transaction without codec version, and its id. */
export interface BuiltTransaction {
  readonly bytes: Part;
  readonly id: string;
}

export interface BuiltOutput {
  readonly assetId: string;
  readonly amount: number;
  readonly owners: readonly string[];
}

/** An output that is spent. */
export interface BuiltInput {
  readonly txId: string;
  readonly outputIndex: number;
  readonly assetId: string;
  readonly amount: number;
}

const owners = (addresses: readonly string[]): Part => all(u64(0), u32(1), list(addresses.map(hex)));
const output = ({ assetId, amount, owners: addresses }: BuiltOutput): Part =>
  all(hex(assetId), u32(7), u64(amount), owners(addresses));
const input = ({ txId, outputIndex, assetId, amount }: BuiltInput): Part =>
  all(hex(txId), u32(outputIndex), hex(assetId), u32(5), u64(amount), list([u32(0)]));
const signature = all(u32(9), list([new Uint8Array(65)]));

function signed(unsigned: Part, inputs: number): BuiltTransaction {
  const bytes = all(unsigned, list(Array.from({ length: inputs }, () => signature)));
  return { bytes, id: idOf(versioned(bytes)) };
}

interface Base {
  readonly inputs?: readonly BuiltInput[];
  readonly outputs?: readonly BuiltOutput[];
  readonly memo?: string;
}

/** The transactions of a P- or X-Chain. */
export function transactionsOf(chain: "P" | "X", networkId: number, blockchainId: string) {
  const types = { P: { base: 34, import: 17, export: 18 }, X: { base: 0, import: 3, export: 4 } }[chain];
  const base = (type: number, { inputs = [], outputs = [], memo = "" }: Base) =>
    all(u32(type), u32(networkId), hex(blockchainId), list(outputs.map(output)), list(inputs.map(input)), text(memo));
  return {
    base: (one: Base) => signed(base(types.base, one), one.inputs?.length ?? 0),
    export: (one: Base, destination: string, exported: readonly BuiltOutput[]) =>
      signed(all(base(types.export, one), hex(destination), list(exported.map(output))), one.inputs?.length ?? 0),
    import: (one: Base, source: string, imported: readonly BuiltInput[]) =>
      signed(
        all(base(types.import, one), hex(source), list(imported.map(input))),
        (one.inputs?.length ?? 0) + imported.length,
      ),
    /** Moves an NFT from the outputs that it names to an owner (X-Chain). */
    moveNft: (
      spent: readonly Pick<BuiltInput, "txId" | "outputIndex">[],
      assetId: string,
      owner: string,
      memo = "",
    ) => {
      const inputs = list(spent.map(({ txId, outputIndex }) => all(hex(txId), u32(outputIndex))));
      const operation = all(u32(13), list([u32(0)]), u32(0), text("nft"), owners([owner]));
      return signed(all(base(2, { memo }), list([all(hex(assetId), inputs, operation)])), spent.length);
    },
    /** A transaction of the P-Chain that only sets the time. */
    advanceTime: (time: number) => signed(all(u32(19), u64(time)), 0),
    reward: (stakingTxId: string) => signed(all(u32(20), hex(stakingTxId)), 0),
    delegate: (nodeId: string, [start, end]: readonly [number, number], stake: BuiltOutput) =>
      signed(
        all(
          base(14, {}),
          hex(nodeId),
          ...[start, end, stake.amount].map(u64),
          list([output(stake)]),
          u32(11),
          owners(stake.owners),
        ),
        0,
      ),
    /** A subnet, a blockchain, and a conversion of a subnet without validators (P-Chain). */
    createSubnet: (owner: string) => signed(all(base(16, {}), u32(11), owners([owner])), 0),
    createChain: (subnetId: string, name: Part, genesis: Part) =>
      signed(
        all(
          base(15, {}),
          hex(subnetId),
          u16(name.byteLength),
          name,
          hex("e7".repeat(32)),
          list([]),
          sized(genesis),
          u32(10),
          list([]),
        ),
        0,
      ),
    convertSubnet: (subnetId: string, managerChainId: string, managerAddress: Part) =>
      signed(
        all(base(35, {}), hex(subnetId), hex(managerChainId), sized(managerAddress), list([]), u32(10), list([])),
        0,
      ),
    /** Removes a validator from a subnet that may not exist (P-Chain). */
    removeValidator: (nodeId: string, subnetId: string) =>
      signed(all(base(23, {}), hex(nodeId), hex(subnetId), u32(10), list([])), 0),
  };
}

/** The atomic transactions of a C-Chain. */
export function atomicTransactionsOf(networkId: number, blockchainId: string) {
  const head = (type: number, chain: string) => all(u32(type), u32(networkId), hex(blockchainId), hex(chain));
  return {
    /** Burns `fee` of each input. */
    import: (source: string, imported: readonly BuiltInput[], account: string, fee = 0) => {
      const credited = imported.map(({ amount, assetId }) => all(hex(account), u64(amount - fee), hex(assetId)));
      return signed(all(head(0, source), list(imported.map(input)), list(credited)), imported.length);
    },
    export: (destination: string, account: string, exported: readonly BuiltOutput[]) => {
      const debited = exported.map(({ amount, assetId }) => all(hex(account), u64(amount), hex(assetId), u64(0)));
      return signed(all(head(1, destination), list(debited), list(exported.map(output))), exported.length);
    },
  };
}
