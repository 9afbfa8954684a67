// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Holds coin, and can end.
contract Box {
    constructor() payable {}

    function end(address payable heir) external payable {
        selfdestruct(heir);
    }
}

/// Is never there: its constructor is its end.
contract Mayfly {
    constructor(address payable heir) payable {
        selfdestruct(heir);
    }
}

/// Refuses to be made.
contract Stillborn {
    constructor() payable {
        revert("not today");
    }
}

/// Makes a contract while it is made.
contract Mother {
    Box public child;

    constructor() payable {
        child = new Box{value: msg.value / 2}();
    }
}

/// Makes contracts in every way.
contract Factory {
    function make() external payable {
        new Box{value: msg.value}();
    }

    function makeAt(bytes32 salt) public payable returns (Box) {
        return new Box{salt: salt, value: msg.value}();
    }

    function makeAndEnd(bytes32 salt, address payable heir) external payable {
        makeAt(salt).end(heir);
    }

    function makeMother() external payable {
        new Mother{value: msg.value}();
    }

    function makeMayfly(address payable heir) external payable {
        new Mayfly{value: msg.value}(heir);
    }

    /// Goes well, though what it makes does not.
    function makeInVain() external payable {
        try new Stillborn{value: msg.value}() {} catch {}
    }

    /// Makes a contract, and takes all of it back.
    function makeAndRevert() external payable {
        new Box{value: msg.value}();
        revert("all in vain");
    }

    /// A minimal proxy (ERC-1167).
    function clone(address target) external payable returns (address made) {
        bytes20 code = bytes20(target);
        assembly {
            let at := mload(0x40)
            mstore(at, 0x3d602d80600a3d3981f3363d3d373d3d3d363d73000000000000000000000000)
            mstore(add(at, 0x14), code)
            mstore(add(at, 0x28), 0x5af43d82803e903d91602b57fd5bf30000000000000000000000000000000000)
            made := create(callvalue(), at, 0x37)
        }
        require(made != address(0));
    }

    function send(Box box, address payable heir) external payable {
        box.end{value: msg.value}(heir);
    }
}

/// An upgradeable proxy (ERC-1967).
contract Proxy {
    bytes32 private constant IMPLEMENTATION = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);

    constructor(address implementation) payable {
        bytes32 slot = IMPLEMENTATION;
        assembly {
            sstore(slot, implementation)
        }
    }

    receive() external payable {}

    fallback() external payable {
        bytes32 slot = IMPLEMENTATION;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// Passes coin on.
contract Splitter {
    receive() external payable {}

    function split(address payable[] calldata to) external payable {
        for (uint256 i = 0; i < to.length; i++) to[i].call{value: msg.value / to.length}("");
    }
}

/// Calls in every way, some of which fail.
contract Caller {
    receive() external payable {}

    function pay(address payable to, uint256 value) external payable {
        (bool ok, ) = to.call{value: value}("");
        require(ok, "could not pay");
    }

    function payAndRevert(address payable to) external payable {
        to.call{value: msg.value}("");
        revert("changed my mind");
    }

    /// Goes well, though the payments in it are taken back.
    function tryToPay(address payable to) external payable {
        try this.payAndRevert{value: msg.value}(to) {} catch {}
    }

    /// Goes well, though there is not that much to pay with.
    function tryToPayTooMuch(address payable to) external payable {
        try this.pay(to, address(this).balance + 1) {} catch {}
    }

    /// A payment that the other refuses.
    function payUnpayable(address unpayable) external payable {
        unpayable.call{value: msg.value, gas: 30_000}("");
    }

    /// What pays in the name of the caller, with the caller's coin.
    function lend(address code, bytes calldata call) external payable {
        (bool ok, ) = code.delegatecall(call);
        require(ok);
    }

    /// Looks at another, who may not pay meanwhile.
    function look(address at, bytes calldata call) external payable {
        at.staticcall{gas: 100_000}(call);
    }

    /// The old way to borrow code: the coin never leaves.
    function borrow(address code) external payable {
        assembly {
            pop(callcode(gas(), code, callvalue(), 0, 0, 0, 0))
        }
    }
}

/// A token that keeps its books.
contract Honest {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;

    function name() external pure virtual returns (string memory) {
        return "Honest Coin";
    }

    function symbol() external pure virtual returns (string memory) {
        return "HON";
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function burn(uint256 value) external {
        balanceOf[msg.sender] -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Wrapped coin, as WETH9 and WAVAX do it.
contract Wrapped is Honest {
    event Deposit(address indexed to, uint256 value);
    event Withdrawal(address indexed from, uint256 value);

    function name() external pure override returns (string memory) {
        return "Wrapped Coin";
    }

    function symbol() external pure override returns (string memory) {
        return "WCOIN";
    }

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 value) external {
        balanceOf[msg.sender] -= value;
        payable(msg.sender).transfer(value);
        emit Withdrawal(msg.sender, value);
    }
}

/// ERC-721.
contract Unique721 {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    string public constant name = "Uniques";
    string public constant symbol = "UNQ";

    function tokenURI(uint256) external pure returns (string memory) {
        return "data:application/json,{}";
    }

    function move(address from, address to, uint256 tokenId) external {
        emit Transfer(from, to, tokenId);
    }
}

/// ERC-1155.
contract Items1155 {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(
        address indexed operator,
        address indexed from,
        address indexed to,
        uint256[] ids,
        uint256[] values
    );

    function uri(uint256) external pure returns (string memory) {
        return "data:application/json,{}";
    }

    function move(address from, address to, uint256 id, uint256 value) external {
        emit TransferSingle(msg.sender, from, to, id, value);
    }

    function moveAll(address from, address to, uint256[] calldata ids, uint256[] calldata values) external {
        emit TransferBatch(msg.sender, from, to, ids, values);
    }
}

struct Receipt {
    uint256 receivedMessageNonce;
    address relayerRewardAddress;
}

struct Message {
    uint256 messageNonce;
    address originSenderAddress;
    bytes32 destinationBlockchainID;
    address destinationAddress;
    uint256 requiredGasLimit;
    address[] allowedRelayerAddresses;
    Receipt[] receipts;
    bytes message;
}

struct FeeInfo {
    address feeTokenAddress;
    uint256 amount;
}

interface Warp {
    function sendWarpMessage(bytes calldata payload) external returns (bytes32 messageID);
}

/// The contract at the address of the warp precompile, or one elsewhere that emits the same events.
contract Warping is Warp {
    event SendWarpMessage(address indexed sender, bytes32 indexed messageID, bytes message);

    function sendWarpMessage(bytes calldata payload) external returns (bytes32 messageID) {
        messageID = sha256(payload);
        emit SendWarpMessage(msg.sender, messageID, payload);
    }
}

/// The events of TeleporterMessenger, without the proofs.
contract Messenger {
    event SendCrossChainMessage(
        bytes32 indexed messageID,
        bytes32 indexed destinationBlockchainID,
        Message message,
        FeeInfo feeInfo
    );
    event ReceiveCrossChainMessage(
        bytes32 indexed messageID,
        bytes32 indexed sourceBlockchainID,
        address indexed deliverer,
        address rewardRedeemer,
        Message message
    );
    event MessageExecuted(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID);
    event MessageExecutionFailed(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID, Message message);

    Warp private immutable warp;
    uint256 private nonce;

    constructor(Warp warp_) {
        warp = warp_;
    }

    function sendTo(bytes32 blockchainID, address to) external {
        Message memory message = messageTo(++nonce, blockchainID, to);
        bytes32 id = keccak256(abi.encode(address(this), nonce));
        emit SendCrossChainMessage(id, blockchainID, message, FeeInfo(address(0), 0));
        warp.sendWarpMessage(abi.encode(message));
    }

    function receiveFrom(bytes32 blockchainID, uint256 number, address to, bool goesWell) external {
        Message memory message = messageTo(number, blockchainID, to);
        bytes32 id = keccak256(abi.encode(blockchainID, number));
        if (goesWell) emit MessageExecuted(id, blockchainID);
        else emit MessageExecutionFailed(id, blockchainID, message);
        emit ReceiveCrossChainMessage(id, blockchainID, msg.sender, msg.sender, message);
    }

    function messageTo(uint256 number, bytes32 blockchainID, address to) private view returns (Message memory) {
        return Message(number, msg.sender, blockchainID, to, 100_000, new address[](0), new Receipt[](0), "hello");
    }
}
