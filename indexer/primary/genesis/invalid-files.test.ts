import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { formatAddress } from "../../../core/formats/bech32.ts";
import { formatId, formatNodeId } from "../../../core/formats/id-text.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { decodePGenesis } from "../network/p-genesis.ts";
import { buildGenesis } from "./build.ts";
import { parseGenesisFile } from "./parse.ts";

const hex = (n: number): string => n.toString(16).padStart(40, "0");
const address = (n: number): string => formatAddress({ chain: "X", prefix: "custom", address: hex(n) });
const START = 1_700_000_000;

const small = {
  networkID: 1337,
  allocations: [
    {
      ethAddr: `0x${hex(1)}`,
      avaxAddr: address(1),
      initialAmount: 0,
      unlockSchedule: [{ amount: 12, locktime: START + 9 }],
    },
    { ethAddr: `0x${hex(2)}`, avaxAddr: address(2), initialAmount: 7, unlockSchedule: [{ amount: 5 }] },
  ],
  startTime: START,
  initialStakeDuration: 1000,
  initialStakeDurationOffset: 10,
  initialStakedFunds: [address(1)],
  initialStakers: [1, 2, 3].map((n) => ({ nodeID: formatNodeId(hex(n)), rewardAddress: address(n), delegationFee: n })),
  cChainGenesis: '{"config":{"chainId":1}}',
  message: "m",
};
const { initialStakeDurationOffset: _, message: __, ...bare } = small;

const unlocks = (...amounts: number[]) => amounts.map((amount, at) => ({ amount, locktime: START + at }));
const staked = (...amounts: number[]) => [{ ...small.allocations[0], unlockSchedule: unlocks(...amounts) }];
const holder = (n: number, eth: number, initialAmount: number | string, unlockSchedule?: readonly object[]) => ({
  ethAddr: `0x${hex(eth)}`,
  avaxAddr: address(n),
  initialAmount,
  unlockSchedule,
});
const withHolders = (...holders: object[]) => ({ ...small, allocations: [...small.allocations, ...holders] });
const signer = () =>
  JSON.parse(gunzipSync(readFileSync(join(ALPHA, "genesis.json.gz"))).toString()).initialStakers[0].signer;

/** JSON; `123n` in quotes is a number that a float would change. */
const textOf = (file: object): string => JSON.stringify(file).replace(/"(\d+)n"/g, "$1");

/** Unusual small files, with the ids of genesis and asset that nodes of release 1.14.2 compute from them. */
const UNUSUAL_FILES: readonly [what: string, file: () => object, id: string, avaxAssetId: string][] = [
  [
    "nothing odd",
    () => small,
    "TujYhne9h3RmriLvJ6nWnAmKf84M9b9pnpcfVAL68mFCfsogM",
    "HziqeWkcnfKC1QequpKf1hnt1yxAuQjs41CGKacVZvcD3EtKE",
  ],
  [
    "no offset, no message, no lock time",
    () => bare,
    "w8jHArN3FJNUqHZQEgBw1NGPE7URJHqwxU69YM3iKuzsfCDeA",
    "HziqeWkcnfKC1QequpKf1hnt1yxAuQjs41CGKacVZvcD3EtKE",
  ],
  [
    "shares that end where an amount ends",
    () => ({ ...small, allocations: staked(4, 4, 4, 0, 1) }),
    "mrjHzcy1oHrbd3FMX2p8fzpU1Ye6yZ5rmD8WVpwRMCEvASSiu",
    "eXZvtNLySmy48XJCW9HLyfep67b661yhrNtBvs6Noi3UQ9M71",
  ],
  [
    "shares that amounts overlap",
    () => ({ ...small, allocations: staked(1, 20, 2, 9) }),
    "2LdByvezCBrRveo5MuA1XDWBTc6PFWLeTBnCCZusW5szRYTGiW",
    "eXZvtNLySmy48XJCW9HLyfep67b661yhrNtBvs6Noi3UQ9M71",
  ],
  [
    "a validator with a key among others",
    () => ({
      ...small,
      initialStakers: small.initialStakers.map((one, at) => (at === 1 ? { ...one, signer: signer() } : one)),
    }),
    "2ti91e1XZjd3deWpRXvfj1WVZe7MBRmrycpHRjPcRaaERhz1pu",
    "HziqeWkcnfKC1QequpKf1hnt1yxAuQjs41CGKacVZvcD3EtKE",
  ],
  [
    "nobody on the X-Chain",
    () => ({ ...small, allocations: staked(30) }),
    "BCzBWL2jLVXJjjZX1mMa1aM3FkxePSoAErybV6TDWv4r1whkA",
    "eXZvtNLySmy48XJCW9HLyfep67b661yhrNtBvs6Noi3UQ9M71",
  ],
  [
    "holders of one amount and one address",
    () => withHolders(holder(4, 9, 7), holder(2, 8, 7), holder(2, 3, 7), holder(2, 5, 6)),
    "gyatfckrGh3vpGS1116ruGt7EVqk4qYkpqDE57JevLSj6c7JZ",
    "2qeEAbL1NbxiYy47o7WstKApBPvpL1bbpk8ZQunVjamiXSLa9i",
  ],
  [
    "locks around the start, and an amount of 0",
    () =>
      withHolders(
        holder(5, 5, 0, [
          { amount: 1, locktime: START - 1 },
          { amount: 0, locktime: 5 },
          { amount: 2, locktime: START },
          { amount: 3, locktime: START + 1 },
        ]),
      ),
    "2b9c8LvTfwwCkzieMW81U3mMsGEiLCbZxBPfJpW7dwf9MjdTft",
    "HziqeWkcnfKC1QequpKf1hnt1yxAuQjs41CGKacVZvcD3EtKE",
  ],
  [
    "all that 64 bits can count",
    () => withHolders(holder(6, 6, "18446744073709551591n")),
    "D6rjhCASmA1HuCkmE3fxwxyHpZaAiycabfM2ikmg9SjH79RgW",
    "AnKSaBJxRaiNsXv2bu9PLBFQodKVKPLr59TNmVhm61reZS3M4",
  ],
  [
    "two allocations to a staked address",
    () => withHolders(holder(1, 7, 3, unlocks(100, 1))),
    "RJkwZrKGaMpfhbS1CyiL1iGKmXXhuSTFiiZ7dsitCm2Gn5MiU",
    "2bhmEcpidWZkR1mDBuQGPXcAvFEQhraTJPHntcgpqT7SLwKvKV",
  ],
  [
    "stakes that end together",
    () => ({ ...small, initialStakeDurationOffset: 0 }),
    "2br92XYr6bNchrpbkeYUKGzv1AX2kAqs31KsVyWxsNEg8zMMz6",
    "HziqeWkcnfKC1QequpKf1hnt1yxAuQjs41CGKacVZvcD3EtKE",
  ],
  [
    "text beyond ASCII",
    () => ({ ...small, cChainGenesis: '{"é":"\\u20ac😀"}', message: 'Grüße, "雪崩"' }),
    "2nX7SySAFfemaM4kRgM3PJ8yfY2jLhgu7U3QQoBYhgpeoUPJc7",
    "HziqeWkcnfKC1QequpKf1hnt1yxAuQjs41CGKacVZvcD3EtKE",
  ],
  [
    "a network that has a prefix of its own, not used in the file",
    () => ({ ...small, networkID: 10 }),
    "mh1HN2ayXdJDB2NMXbrmaTd8ECiNi3T5Wx78PSNtrFn9UPvxz",
    "RATNL4KH2gCAXF6j7DDmSLiz9R1BAf3kK3jPBsWccGSYgKUvr",
  ],
];

describe("the genesis of a small file", () => {
  it.each(UNUSUAL_FILES)("with %s is the same as a node's", (_what, file, id, avaxAssetId) => {
    const built = buildGenesis(parseGenesisFile(textOf(file())));
    expect([formatId(built.id), formatId(built.avaxAssetId)]).toEqual([id, avaxAssetId]);
  });

  it("adds an output of 0 to a full share, as a node does", () => {
    const file = parseGenesisFile(textOf({ ...small, allocations: staked(4, 4, 4) }));
    const { validators } = decodePGenesis(buildGenesis(file).platformBytes);
    const amounts = validators.map(({ validator, stake }) => [
      validator.weight,
      stake.map(({ output }) => ("amount" in output ? output.amount : output.output.amount)),
    ]);
    expect(amounts).toEqual([
      [4n, [4n]],
      [4n, [4n, 0n]],
      [4n, [4n, 0n]],
    ]);
  });
});
