/**
 * What consensus accepted on mainnet although the rules of today's nodes refuse it, by network id. Networks that are not named have
 * none. Each list names its source. No other place in the code knows single blocks or transactions.
 */
interface ConsensusExceptions {
  /**
   * Blocks of the C-Chain, by hash, with their heights: they repeat atomic transactions. The accounts were credited again. Atomic memory
   * was not touched. Source: `plugin/evm/atomic/vm/bonus_blocks.go` of coreth, in avalanchego's folder `graft/coreth`.
   */
  readonly bonusBlocks: ReadonlyMap<string, number>;
  /** Transactions, in CB58, whose inputs were spent already, with the reason. */
  readonly transactions: Readonly<Record<string, string>>;
}

const NONE: ConsensusExceptions = { bonusBlocks: new Map(), transactions: {} };

const MAINNET: ConsensusExceptions = {
  bonusBlocks: new Map([
    ["315b6b928db7cf1c10b9b47c23cdbf2de6c2145504b374a0a414cbf78d20bb1e", 102_972],
    ["17f3d403fbf2ef90535caf2616a34e4df964033fb021a561044813822f683284", 103_105],
    ["15f185977ce8cf7360e9328270b4c6423f4378dd13b22fed26a90f9351c82128", 103_143],
    ["ad72bfbeeb9af7e04400056f52be0c69711e26305bf8ebf78cd7b3e9fcdb40cb", 103_183],
    ["6b3bcdef31beb66fb3dce73dea6dde744030a50ed1221af00e4421317d20cb44", 103_197],
    ["d56dfdafe753786e356d005cb7c69233d08fcb01f88419aa63c333a656af8a5e", 103_203],
    ["5601f43df502887b06455cbcebe32a1b905485a878550accf9b6d9dd3a1e1cf2", 103_208],
    ["1bf5323be5dff32977f6e647f587b24eb00adf1fc0c363f85131cefa66144bb9", 103_209],
    ["5d1b5b0f34e7bdd598e58d0f73962de47bdd8ab577280066983432d9a48d1a8c", 103_259],
    ["a0caa524d2eb6e1d99e2973f72a7d103c1302ceb07c7c328b968b8130e9b2ebc", 103_261],
    ["d9f15811cc2e2648e48805d1b8667b163ff8db7371db6185443598ebdaebfb03", 103_266],
    ["b85388d99242fbb726901783ccd7edd09cb9837a86a57896c1e46ce155836fe9", 103_287],
    ["ef6c40af257dea853fa3a4be375ed6be726012be0ca06b6edcb0a7d64072ac25", 103_339],
    ["be159457d00a29be9752658d6f7d6923d578171f1003561879bad3e04d2d81e8", 103_346],
    ["a3ad1656d0f8d21ed19c8e2c9a1e99ebeb19f30d379186a3cc964b7befbd2e79", 103_350],
    ["f7f41a5488db129af60e4b6cc5074c7570249174e7333756a5a139b69ade7e64", 103_358],
    ["857f80a3b35887366966090abbaf308bac1e690cde4f50b8a86f63a5abed29c6", 103_437],
    ["ea76bb64b8015aa89603e05c1fcf3b37a18b14d4b5953a6c10c4ad94624ac70c", 103_472],
    ["0b73db15ad151cf6eb4356f53150c00869548695e81d52c62307de878a927893", 103_478],
    ["7358f1dc72f7a46294ac9fa3370e6361532d2ba064a7ab29eec902f12c833c6d", 103_493],
    ["03b1d524ce3e12ec61225ce432d85b0d66f85ffef751b6dcd1c0fc1000515616", 103_514],
    ["32a32458d8d40f922a25fa683cfeb7fb5271deb6f9f973a8230d64832f6b8b2e", 103_536],
    ["875dafbe1caf05496bc02389f13605895e4814ada530bff642bbb09a05bc130a", 103_545],
    ["6bc34998b56b47fd12f18bb5ccb8b923ab985999d3ba68949dee72301c4aa633", 103_547],
    ["13fce5dfc44e6acf34d5aa52241d83d44451b0e4a536cc2eb5712259fc79ac3f", 103_554],
    ["2f10ed04ef2ab06283494ca0ab1186761fbf43d8fc2a2018e1d37fa7af7de28e", 103_555],
    ["51990fed393ce90c5c44c3627b596f849b58f4549c3875a129f37eaef7d30664", 103_559],
    ["cba644c900aa9f575a88d46a2330aee530431ae2cc5c107b96c30f9cce8d8f98", 103_561],
    ["9957f50cf6a6dc652107c32aef990516fa2870265984d81b476314b74737338d", 103_563],
    ["38b0433730c0ab0eccc20948b8c5fd688ccc34b669c2b34157c9bac8b6f37533", 103_564],
    ["846666b4289b3947c5b1469d33cb5aa3919f04300425a4dbfb5b542b635d8d3c", 103_569],
    ["730fd9f8b9d6ab96459336a05b0b07d83266045bcfa5cbae5a5e014916be8150", 103_570],
    ["8182cfadfb063ee773294514acb792a8b297e919910fd0114015bd14ece6dc69", 103_575],
    ["76c7a807fb6bd7cb13632e8c8b83f6050ecfffbbb917718eb013dc58a462046b", 103_577],
    ["364d7150357d5398f678de6cb7a7a344de47133af2696fadf8928877086c2a10", 103_578],
    ["0e5611e761efba2f78c3096a49f1408bcf6a6ef3443121403269fa4625985a9b", 103_582],
    ["99a31d18f42ed68814056bf249f044f324e70280311f755a20098331cc502dd0", 103_587],
    ["dd4e7627b243f66703e26d6d6b40d7a34f7eeaa19602f9b42994d6130a29d216", 103_590],
    ["d43d709f772ae746e6067c0a4c3c73fa7af0a5f4b882a2ef7cfc56bc4b7007ce", 103_591],
    ["09e5d53ee7dc1e6e2653daec932254c908935e8069a688e26c4ec0e77967d4b8", 103_594],
    ["aa9bf89ee1705328c25fccc492e4fcfd2943928ac0bc5236d3fd6543f1299b9b", 103_597],
    ["e0d728cfea4f37b810ff8fc6f7a77260525f324106f8cc9dace6a629c4157dd8", 103_598],
    ["fc26d2246709cfa7b49286a0ceaeee118777cde644334e19e1b1f3ac0ae30c94", 103_603],
    ["4d74ed4219b0d5371edbeeb7adcbeca75cb3401dc7f0bcdff040f9305b577c6f", 103_604],
    ["3380c7f7d49b07bf40eb7b2c79c3eb63e9a7a96c38d2e09772c0242e2fbed62f", 103_607],
    ["ee34a73dc6b0ba7827ecae047c66b5b39c33bdd1e83517fb89a35bfbe81f0883", 103_612],
    ["cabbbe16e419c7545a18c52bc5bc90b8524337aa13b31b6ad958b34ec4458617", 103_614],
    ["4cadf984e41223df21cb74c66af1454a953c3a94d58c4ec36a3fcc4dc416aa7d", 103_617],
    ["576291c0a67d480c228a20d3546219444f81f57b45b796b49012eaec7eb8a82d", 103_618],
    ["31f2c95eb9fbc0571d0408c9c2f40636934ef20d77a8731537a1ab14cac585f0", 103_621],
    ["f357c1d275f0275a48081546c30d58a6b261169843f1b555a8c666a24dabfc75", 103_623],
    ["aba9b9c19d5e50f0ea272d541bf319d66d8312e7c2de183a5c6c7cef25b7c6f9", 103_624],
    ["748f125a9a32c54159b042358ade94d3c2d82517a8ddb91054199a58a0ad87c7", 103_627],
    ["52e292bffa48c5a4456dc92374c25f50d95d9f0a188684b1dbaccc4b1828c344", 103_628],
    ["44eecf7e5365b28507c51b7689077cc40b9a7f106a58fb78f318a2b5c65b4e87", 103_629],
    ["d6c5572abfdd31ef5790c5bd2dde65c6bcd89aa749de4148e15b238b834fbd2e", 103_630],
    ["b9896451dd4ac6f10f08784e6295b2c680c1e806cbb9e8e412473bccc1ea5152", 103_633],
  ]),
  transactions: {
    // Source: `vms/avm/txs/executor/semantic_verifier.go` of avalanchego, which lets this transaction pass by its id.
    MkvpJS13eCnEYeYi9B5zuWrU9goG9RBj7nr83U7BjrFV22a12:
      "release 1.9.12 of avalanchego did not delete outputs that operations consume, so this transaction could spend one again (https://github.com/ava-labs/avalanchego/pull/5889)",
  },
};

const BY_NETWORK: Readonly<Record<number, ConsensusExceptions>> = { 1: MAINNET };

/** The named exceptions of a network. */
export function consensusExceptions(networkId: number): ConsensusExceptions {
  return BY_NETWORK[networkId] ?? NONE;
}
