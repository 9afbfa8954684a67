// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// The base of all tokens here: it emits transfer events without balances.
contract Speaking {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfer(address to, uint256 value) external returns (bool) {
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// An ordinary ERC-20.
contract Plain is Speaking {
    string public name;
    string public symbol;
    uint8 public decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }
}

/// Answers name(), symbol() and decimals() with whatever bytes it was made with.
contract Verbatim is Speaking {
    mapping(bytes4 => bytes) private answers;

    constructor(bytes memory name_, bytes memory symbol_, bytes memory decimals_) {
        answers[0x06fdde03] = name_;
        answers[0x95d89b41] = symbol_;
        answers[0x313ce567] = decimals_;
    }

    fallback(bytes calldata) external returns (bytes memory) {
        return answers[msg.sig];
    }
}

/// Reverts with a reason, burns its gas, reverts without a word.
contract Refusing is Speaking {
    function name() external pure returns (string memory) {
        revert("missing trie node: header not found");
    }

    function symbol() external pure returns (string memory) {
        assembly {
            invalid()
        }
    }

    function decimals() external pure returns (uint8) {
        revert();
    }
}

/// Never comes to an end.
contract Endless is Speaking {
    function name() external pure returns (string memory) {
        while (true) {}
        return "";
    }

    function symbol() external pure returns (string memory) {
        return "LOOP";
    }

    function decimals() external pure returns (uint8) {
        return 2;
    }
}

/// A megabyte of name.
contract Huge is Speaking {
    function name() external pure returns (string memory) {
        bytes memory text = new bytes(1 << 20);
        for (uint256 i = 0; i < 1 << 20; i += 32) {
            assembly {
                mstore(add(add(text, 32), i), "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345")
            }
        }
        return string(text);
    }

    function symbol() external pure returns (string memory) {
        return "HUGE";
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }
}

/// Takes the call and does nothing.
contract Silent {
    function transfer(address, uint256) external pure returns (bool) {
        return true;
    }
}

/// ERC-721: the same event, with all three values indexed.
contract Unique {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    function transfer(address to, uint256 tokenId) external {
        emit Transfer(msg.sender, to, tokenId);
    }
}

/// ERC-20's event, but with a second word of data, or with none.
contract OddData {
    bytes32 private constant TRANSFER = keccak256("Transfer(address,address,uint256)");

    function transfer(address to, uint256 value) external {
        bytes32 topic = TRANSFER;
        assembly {
            mstore(0, value)
            mstore(32, value)
            log3(0, 64, topic, caller(), to)
            log3(0, 0, topic, caller(), to)
            log2(0, 32, topic, caller())
        }
    }
}
