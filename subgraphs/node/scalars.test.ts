import { parseValue } from "graphql";
import { NodeId } from "./scalars.ts";

describe("a node id", () => {
  it.each([
    ["true", "true"],
    ["[1]", "[1]"],
    ['"x"', '"x"'],
  ])("is refused with the value if the literal is %s", (literal, shown) => {
    expect(() => NodeId.parseLiteral(parseValue(literal))).toThrow(
      `must be NodeID- followed by 20 bytes in CB58, got ${shown}`,
    );
  });
});
