import { statementsOf } from "../../../test/support/database/statements.ts";
import { openSnapshotReplay, type SnapshotReplay } from "../../../test/support/indexed/primary-snapshots.ts";
import { readSnapshots, type Snapshot } from "../../../test/support/recorded/primary-recording.ts";
import { describeRecordings } from "../../../test/support/recorded/primary-vectors.ts";

const NONE = "11111111111111111111111111111111LpoYY";

interface Owner {
  readonly locktime: string;
  readonly threshold: number;
  readonly addresses: readonly string[];
}

interface Subnet {
  readonly subnetId: string;
  readonly isL1: boolean;
  readonly subnetOwnershipInfo: Owner;
  readonly l1ValidatorManagerDetails: { readonly blockchainId: string; readonly contractAddress: string } | null;
  readonly staking: { readonly transformTxHash: string; readonly currentSupply: string } | null;
  readonly blockchains: readonly Blockchain[];
}

interface Blockchain {
  readonly blockchainId: string;
  readonly blockchainName: string;
  readonly subnetId: string;
  readonly vmId: string;
}

const FIELDS = `subnetId createBlockTimestamp isL1 subnetOwnershipInfo { locktime threshold addresses }
  l1ValidatorManagerDetails { blockchainId contractAddress } staking { transformTxHash currentSupply }
  blockchains { blockchainId blockchainName subnetId vmId }`;

async function subnets(replay: SnapshotReplay): Promise<Subnet[]> {
  const query = `{ subnets(network: FUJI, first: 10000) { nextPageToken subnets: nodes { ${FIELDS} } } }`;
  return (await replay.ask<{ subnets: { subnets: Subnet[] } }>(query)).subnets.subnets;
}

/** A subnet in the node's JSON; releases before Etna have no L1s. */
interface NodeSubnet {
  readonly isPermissioned: boolean;
  readonly controlKeys: readonly string[];
  readonly threshold: string;
  readonly locktime: string;
  readonly subnetTransformationTxID: string;
  readonly conversionID?: string;
  readonly managerChainID?: string;
  readonly managerAddress?: string | null;
}

interface NodeBlockchain {
  readonly id: string;
  readonly name: string;
  readonly subnetID: string;
  readonly vmID: string;
}

/** The node returns the manager address in lower case, and null for none. */
function expectedOf(node: NodeSubnet) {
  const isL1 = (node.conversionID ?? NONE) !== NONE;
  return {
    isL1,
    subnetOwnershipInfo: {
      locktime: node.locktime,
      threshold: Number(node.threshold),
      addresses: node.controlKeys.map((address) => address.slice("P-".length)),
    },
    l1ValidatorManagerDetails: isL1
      ? { blockchainId: node.managerChainID, contractAddress: node.managerAddress ?? "0x" }
      : null,
    transformTxHash: node.subnetTransformationTxID === NONE ? null : node.subnetTransformationTxID,
  };
}

function nodeSubnets(snapshot: Snapshot): Map<string, NodeSubnet> {
  return new Map(
    snapshot
      .answers("platform.getSubnet")
      .map(({ params, result }) => [String(params["subnetID"]), result as NodeSubnet]),
  );
}

const sorted = (ids: readonly string[]): string[] => ids.toSorted();

describeRecordings("subnets", (folder) => {
  let replay: SnapshotReplay;
  beforeAll(async () => {
    replay = await openSnapshotReplay(folder);
  });
  afterAll(() => replay[Symbol.asyncDispose]());

  it("E7 subnets equal the node's at every snapshot, with owners, managers, transformations and blockchains", async () => {
    let compared = 0;
    await replay.forEachSnapshot(async (snapshot) => {
      const listed = await subnets(replay);
      for (const [subnetId, node] of nodeSubnets(snapshot)) {
        const { isL1, subnetOwnershipInfo, l1ValidatorManagerDetails, staking } = listed.find(
          (one) => one.subnetId === subnetId,
        ) as Subnet;
        const ours = { isL1, subnetOwnershipInfo, l1ValidatorManagerDetails };
        expect({ subnetId, ...ours, transformTxHash: staking?.transformTxHash ?? null }).toEqual({
          subnetId,
          ...expectedOf(node),
        });
        compared++;
      }
      for (const { params, result } of snapshot.answers("platform.getCurrentSupply")) {
        const subnet = listed.find(({ subnetId }) => subnetId === params["subnetID"]);
        if (subnet?.staking) expect(subnet.staking.currentSupply).toBe((result as { supply: string }).supply);
      }
      const chains = listed.flatMap(({ blockchains }) => blockchains);
      const theirs = snapshot
        .answers("platform.getBlockchains")
        .flatMap(({ result }) => (result as { blockchains: NodeBlockchain[] }).blockchains);
      // The node does not list the P-Chain itself.
      expect(
        sorted(chains.map((one) => `${one.blockchainId} ${one.blockchainName} ${one.subnetId} ${one.vmId}`)),
      ).toEqual(
        sorted([
          `${NONE} P-Chain ${NONE} rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT`,
          ...theirs.map((one) => `${one.id} ${one.name} ${one.subnetID} ${one.vmID}`),
        ]),
      );
    });
    expect(compared).toBeGreaterThan(10);
  });

  it("E7 lists the subnets that the node lists, including the primary network", async () => {
    const end = readSnapshots(folder).at(-1) as Snapshot;
    const [listed] = end.answers("platform.getSubnets").filter(({ params }) => params["ids"] === undefined);
    const answer = listed as { readonly result: unknown };
    const ids = (answer.result as { subnets: { id: string }[] }).subnets.map(({ id }) => id);
    expect(ids).toContain(NONE);
    expect(sorted((await subnets(replay)).map(({ subnetId }) => subnetId))).toEqual(sorted(ids));
  });

  it("E7 a page of any size costs three statements: subnets, blockchains, genesis data", async () => {
    for (const pageSize of [1, 10_000]) {
      const query = `{ subnets(network: FUJI, first: ${pageSize}) {
        nextPageToken subnets: nodes { ${FIELDS.replace("vmId }", "vmId genesisData }")} } } }`;
      expect(await statementsOf(() => replay.ask(query))).toHaveLength(3);
    }
    expect(await statementsOf(() => subnets(replay))).toHaveLength(2);
  });

  it("a subnet and a blockchain are found by ID and link to each other and to validators", async () => {
    const listed = await subnets(replay);
    for (const { subnetId, blockchains } of listed) {
      const query = `{ subnet(network: FUJI, subnetId: "${subnetId}") {
        subnetId validators(first: 100) { validators: nodes { subnetId } } l1Validators { validators: nodes { subnetId } }
        blockchains { blockchainId subnet { subnetId } } } }`;
      const { subnet } = await replay.ask<{
        subnet: { validators: { validators: object[] }; l1Validators: { validators: object[] } };
      }>(query);
      expect(subnet).toMatchObject({
        subnetId,
        blockchains: blockchains.map(({ blockchainId }) => ({ blockchainId, subnet: { subnetId } })),
      });
      for (const one of [...subnet.validators.validators, ...subnet.l1Validators.validators])
        expect(one).toEqual({ subnetId });
    }
    for (const { blockchainId, blockchainName } of listed.flatMap(({ blockchains }) => blockchains))
      expect(
        await replay.ask(`{ blockchain(network: FUJI, blockchainId: "${blockchainId}") { blockchainName } }`),
      ).toEqual({ blockchain: { blockchainName } });
    for (const [alias, blockchainName] of Object.entries({
      "p-chain": "P-Chain",
      "x-chain": "X-Chain",
      "c-chain": "C-Chain",
    }))
      expect(await replay.ask(`{ blockchain(network: FUJI, blockchainId: "${alias}") { blockchainName } }`)).toEqual({
        blockchain: { blockchainName },
      });
    const unknown = `0x${"ab".repeat(32)}`;
    expect(
      await replay.ask(`{ subnet(network: FUJI, subnetId: "${unknown}") { subnetId }
        blockchain(network: FUJI, blockchainId: "${unknown}") { blockchainName } }`),
    ).toEqual({ subnet: null, blockchain: null });
  });
});
