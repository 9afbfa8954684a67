import { sha256 } from "../../../core/formats/codec/bytes/hashes.ts";
import { buildXGenesis } from "./build-x.ts";
import { type GenesisFile, initialSupplyOf, type Unlock } from "./genesis-file.ts";
import { type GenesisValidator, genesisValidators } from "./stake.ts";
import { NO_ID, writeBase, writeLockedOutput, writeOwner } from "./write-output.ts";
import { createWriter, type Writer } from "./writer.ts";

/** The genesis that a node builds from its genesis file. Ids in hex. */
export interface BuiltGenesis {
  /** The genesis state of the P-Chain, encoded. */
  readonly platformBytes: Uint8Array;
  /** SHA-256 of `platformBytes`: the parent id of the P-Chain's block 0. */
  readonly id: string;
  readonly xChainId: string;
  readonly cChainId: string;
  readonly avaxAssetId: string;
}

/** Codec version 0. */
const VERSION = Buffer.alloc(2);
const ADD_VALIDATOR = 12;
const CREATE_CHAIN = 15;
const ADD_PERMISSIONLESS_VALIDATOR = 25;
const INPUT = 10;
const PROOF_OF_POSSESSION = 28;

/** Builds the genesis state of the P-Chain byte for byte as a node builds it. */
export function buildGenesis(file: GenesisFile): BuiltGenesis {
  const { data, avaxAssetId } = buildXGenesis(file);
  const writer = createWriter().raw(VERSION);
  writeUtxos(writer, file, avaxAssetId);
  writer.list(genesisValidators(file), (validator) => writeValidator(writer, file, avaxAssetId, validator));
  const chains = [
    { name: "X-Chain", vm: "avm", fxs: ["secp256k1fx", "nftfx", "propertyfx"], data },
    { name: "C-Chain", vm: "evm", fxs: [], data: Buffer.from(file.cChainGenesis) },
  ];
  const ids: string[] = [];
  writer.list(chains, (chain) => ids.push(writeChain(writer, file.networkId, chain)));
  writer.u64(file.startTime).u64(initialSupplyOf(file)).text(file.message);
  const platformBytes = writer.finish();
  const [xChainId, cChainId] = ids as [string, string];
  return { platformBytes, id: sha256(platformBytes), xChainId, cChainId, avaxAssetId };
}

/** Writes the locked amounts that are not staked, in the order of the file. */
function writeUtxos(
  writer: Writer,
  { allocations, initialStakedFunds, startTime }: GenesisFile,
  assetId: string,
): void {
  const staked = new Set(initialStakedFunds);
  const unstaked = allocations.filter(({ avaxAddr }) => !staked.has(avaxAddr));
  const count = unstaked.reduce((sum, { unlockSchedule }) => sum + unlockSchedule.filter(isPositive).length, 0);
  let index = 0;
  writer.u32(count);
  for (const { ethAddr, avaxAddr, unlockSchedule } of unstaked) {
    for (const unlock of unlockSchedule.filter(isPositive)) {
      writer.raw(NO_ID).u32(index++).hex(assetId);
      writeLockedOutput(writer, startTime, unlock, avaxAddr);
      writer.u32(ethAddr.length / 2).hex(ethAddr);
    }
  }
}

const isPositive = ({ amount }: Unlock): boolean => amount > 0n;

function writeValidator(writer: Writer, file: GenesisFile, avaxAssetId: string, validator: GenesisValidator): void {
  const { nodeId, end, signer, stake, rewardAddress, delegationFee } = validator;
  writeBase(writer.u32(signer ? ADD_PERMISSIONLESS_VALIDATOR : ADD_VALIDATOR), file.networkId);
  const weight = stake.reduce((sum, { amount }) => sum + amount, 0n);
  writer.hex(nodeId).u64(file.startTime).u64(end).u64(weight);
  if (signer) writer.raw(NO_ID).u32(PROOF_OF_POSSESSION).hex(signer.publicKey).hex(signer.proofOfPossession);
  writer.list(stake, (part) => writeLockedOutput(writer.hex(avaxAssetId), file.startTime, part, part.address));
  writeOwner(writer, rewardAddress);
  if (signer) writeOwner(writer, rewardAddress);
  writer.u32(delegationFee);
  writeNoCredentials(writer);
}

interface Chain {
  readonly name: string;
  readonly vm: string;
  readonly fxs: readonly string[];
  readonly data: Uint8Array;
}

/** Writes the transaction that creates a chain and returns its id, which is the blockchain id. */
function writeChain(writer: Writer, networkId: number, { name, vm, fxs, data }: Chain): string {
  const start = writer.at;
  writeBase(writer.u32(CREATE_CHAIN), networkId);
  writer.raw(NO_ID).text(name).raw(idFromName(vm));
  writer.list(fxs, (fx) => writer.raw(idFromName(fx)));
  writer.blob(data).u32(INPUT).u32(0);
  writeNoCredentials(writer);
  return sha256(Buffer.concat([VERSION, writer.since(start)]));
}

const writeNoCredentials = (writer: Writer): Writer => writer.u32(0);

/** Id of a VM or feature extension whose id is its name in ASCII. */
function idFromName(name: string): Uint8Array {
  const id = Buffer.alloc(32);
  id.write(name);
  return id;
}
