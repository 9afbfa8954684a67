/**
 * The signatures of frequent events and their first topics, in hex without `0x`. The column `evm_logs.topic0` has the position of the event in
 * this list instead of the topic. So existing entries must not change. A new entry needs a migration that changes the rows which have its
 * topic.
 */
export const FREQUENT_EVENTS: readonly (readonly [signature: string, topic: string])[] = [
  ["Transfer(address,address,uint256)", "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"],
  ["Approval(address,address,uint256)", "8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"],
  ["Sync(uint112,uint112)", "1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1"],
  [
    "Swap(address,uint256,uint256,uint256,uint256,address)",
    "d78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  ],
  ["Deposit(address,uint256)", "e1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"],
  ["Withdrawal(address,uint256)", "7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65"],
  [
    "Swap(address,address,int256,int256,uint160,uint128,int24)",
    "c42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  ],
  ["Mint(address,uint256,uint256)", "4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f"],
  ["Burn(address,uint256,uint256,address)", "dccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496"],
  [
    "Mint(address,address,int24,int24,uint128,uint256,uint256)",
    "7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde",
  ],
  [
    "Burn(address,int24,int24,uint128,uint256,uint256)",
    "0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c",
  ],
  [
    "Collect(address,address,int24,int24,uint128,uint128)",
    "70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0",
  ],
  [
    "Swap(address,address,uint24,bytes32,bytes32,uint24,bytes32,bytes32)",
    "ad7d6f97abf51ce18e17a38f4d70e975be9c0708474987bb3e26ad21bd93ca70",
  ],
  [
    "DepositedToBins(address,address,uint256[],bytes32[])",
    "87f1f9dcf5e8089a3e00811b6a008d8f30293a3da878cb1fe8c90ca376402f8a",
  ],
  [
    "WithdrawnFromBins(address,address,uint256[],bytes32[])",
    "a32e146844d6144a22e94c586715a1317d58a8aa3581ec33d040113ddcb24350",
  ],
  ["ApprovalForAll(address,address,bool)", "17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31"],
  [
    "TransferSingle(address,address,address,uint256,uint256)",
    "c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  ],
  [
    "TransferBatch(address,address,address,uint256[],uint256[])",
    "4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  ],
  ["OwnershipTransferred(address,address)", "8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0"],
  ["RoleGranted(bytes32,address,address)", "2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d"],
  ["AnswerUpdated(int256,uint256,uint256)", "0559884fd3a460db3073b7fc896cc77986f16e378210ded43186175bf646fc5f"],
  ["NewRound(uint256,address,uint256)", "0109fc6f55cf40689f02fbaad7af7fe7bbac8a3d2186600afc7d3e10cac60271"],
];
