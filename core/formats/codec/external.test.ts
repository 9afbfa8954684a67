import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeCBlock } from "../../../indexer/primary/decode/c-blocks.ts";
import { parseHex } from "../../../indexer/primary/fetch/checked-hex.ts";
import { decodeXGenesis } from "../../../indexer/primary/network/x-genesis.ts";
import { decodeAtomicTransaction } from "../../../test/support/codec/decode-transactions.ts";
import { nodeJsonOf } from "../../../test/support/recorded/primary-json.ts";
import {
  atomicTransactionsIn,
  counted,
  describeWhere,
  FLARE,
  FORKS,
  type ForksFixture,
  flareContainers,
  forksFixture,
  MAINNET,
  mainnetContainers,
} from "../../../test/support/recorded/primary-vectors.ts";
import { formatId } from "../id-text.ts";
import { decodePBlock } from "./blocks/p-blocks.ts";
import { decodeContainer } from "./blocks/proposer-blocks.ts";
import { decodeAtomicTransactions } from "./transactions/atomic-transactions.ts";

describeWhere(FLARE, "221 consecutive P-Chain blocks of another network", () => {
  const read = () => flareContainers().map(({ id, bytes }) => ({ id, ...decodeContainer(bytes) }));

  it("have the ids of their containers, and the block before as parent, in the ProposerVM wrapper and in the block", () => {
    const all = read();
    expect(all.map(({ id, proposer }) => [id, proposer && formatId(proposer.id)])).toEqual(
      all.map(({ id }) => [id, id]),
    );
    const proposers = all.map(({ proposer }) => proposer);
    const blocks = all.map(({ block }) => decodePBlock(block));
    for (const chain of [proposers.slice(1), blocks])
      expect(chain.slice(1).map((one) => one?.parentId)).toEqual(chain.slice(0, -1).map((one) => one?.id));
    expect(blocks.map(({ height }) => height)).toEqual(blocks.map((_, index) => index + 1));
  });

  it("have the known numbers of signatures, block types and transaction types", () => {
    const all = read();
    const wrappers = all.map(({ proposer }) =>
      proposer?.proposal ? (proposer.proposal.nodeId ? "signed" : "unsigned") : "option",
    );
    const blocks = all.map(({ block }) => decodePBlock(block));
    expect(counted(wrappers)).toEqual({ signed: 38, unsigned: 78, option: 105 });
    expect(new Set(all.map(({ proposer }) => proposer?.proposal?.nodeId ?? null)).size).toBe(3 + 1);
    expect(counted(blocks.map(({ blockType }) => blockType))).toEqual({
      ApricotProposalBlock: 105,
      ApricotCommitBlock: 101,
      ApricotAbortBlock: 4,
      ApricotStandardBlock: 11,
    });
    expect(counted(blocks.flatMap(({ transactions }) => transactions.map(({ txType }) => txType)))).toEqual({
      AddValidatorTx: 18,
      AddDelegatorTx: 9,
      RewardValidatorTx: 27,
      AdvanceTimeTx: 51,
      ImportTx: 6,
      ExportTx: 5,
    });
  });
});

interface Parse {
  readonly id: string;
  readonly type: string;
  readonly parent: string;
  readonly height: string;
  readonly transactions: readonly unknown[];
}

describeWhere(MAINNET, "19 P-Chain blocks of mainnet", () => {
  it("have the ids of their containers", () => {
    const all = mainnetContainers();
    expect(all).toHaveLength(19);
    const ids = all.map(({ bytes }) => {
      const { proposer, block } = decodeContainer(bytes);
      return formatId(proposer?.id ?? decodePBlock(block).id);
    });
    expect(ids).toEqual(all.map(({ id }) => id));
  });

  it("are decoded as by independent tools, with every transaction", () => {
    for (const { bytes, index, json } of mainnetContainers()) {
      const { id, blockType, parentId, height, transactions } = decodePBlock(decodeContainer(bytes).block);
      const expected = json as Parse;
      expect([`*block.${blockType}`, formatId(id), formatId(parentId), String(height)]).toEqual([
        expected.type,
        expected.id,
        expected.parent,
        expected.height,
      ]);
      expect(height).toBe(index + 1);
      const chain = { chain: "P", prefix: "avax" } as const;
      expect(transactions.map((one) => nodeJsonOf(one, chain))).toEqual(expected.transactions ?? []);
    }
  });

  it("belong to a network whose X-Chain genesis has the known AVAX asset id", () => {
    const { transactions } = JSON.parse(readFileSync(join(MAINNET.folder, "outs", "genesis_fuji_txs.json"), "utf8"));
    const data = transactions.map((tx: { unsignedTx: { chainName?: string; genesisData?: string } }) => tx.unsignedTx);
    const xChain = data.find(({ chainName }: { chainName?: string }) => chainName === "X-Chain");
    const [avax, ...others] = decodeXGenesis(Buffer.from(xChain.genesisData, "base64"));
    expect(others).toEqual([]);
    expect([formatId(avax?.id as string), avax?.symbol, avax?.denomination]).toEqual([
      "U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK",
      "AVAX",
      9,
    ]);
  });
});

describeWhere(FORKS, "a C-Chain that crosses every fork", () => {
  let fixture: ForksFixture;
  beforeAll(() => {
    fixture = forksFixture();
  });
  const blocks = () => fixture.blocks.map((one) => ({ ...one, block: decodeCBlock(parseHex(one.rlp, "rlp")) }));

  it("has blocks with the known hashes, each with the block before as parent", () => {
    const all = blocks();
    expect(all).toHaveLength(22);
    expect(all.map(({ block }) => [block.number, `0x${block.hash}`])).toEqual(
      all.map(({ number, hash }) => [number, hash]),
    );
    expect(all.slice(1).map(({ block }) => block.parentHash)).toEqual(all.slice(0, -1).map(({ block }) => block.hash));
  });

  it("has the transactions of the node's receipts", () => {
    const receipts = fixture.rpcCalls.filter(({ method }) => method === "eth_getBlockReceipts");
    const given = receipts.map(({ params, result }) => [
      Number(params[0]),
      (result as { transactionHash: string }[]).map(({ transactionHash }) => transactionHash),
    ]);
    expect(blocks().map(({ block }) => [block.number, block.transactionHashes.map((hash) => `0x${hash}`)])).toEqual(
      given,
    );
  });

  it("has the node's atomic transactions by id, single ones and lists", () => {
    const found = blocks().flatMap(({ block }) =>
      decodeAtomicTransactions(block.extraData).map((transaction) => [block.number, transaction] as const),
    );
    const kept = atomicTransactionsIn(fixture).map(({ id, height, bytes }) => {
      const transaction = decodeAtomicTransaction(bytes);
      expect(transaction.id).toBe(id);
      return [height, transaction] as const;
    });
    const byId = (all: typeof found) => all.toSorted(([, one], [, other]) => one.id.localeCompare(other.id));
    expect(kept).toHaveLength(6);
    expect(byId(found)).toEqual(byId(kept));
  });
});
