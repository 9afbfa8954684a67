import { buildSchema } from "graphql";
import { parseOperation } from "../../graph/operation.ts";
import { compileParameters } from "./variables.ts";

const schema = buildSchema(`
  scalar Quantity scalar Timestamp scalar Address scalar Hash scalar Json
  enum Network { mainnet fuji testnet }
  type Query { all: Int }`);

const DOCUMENT = `query All($chainId: String!, $address: Address, $block: Quantity, $hash: Hash, $at: Timestamp, $pageSize: Int,
  $inactive: Boolean, $network: Network, $txTypes: [Network!], $pageToken: String,
  $addresses: [String!], $nodeIds: String) { body: all }`;

const parse = compileParameters(parseOperation("all", DOCUMENT), ["chainId"], schema);
const ADDRESS = "0xAbcdefabcdefABCDEFabcdefabcdefabcdefabcd";
const HASH = `0x${"Ab".repeat(32)}`;

describe("the parameters of a request", () => {
  it.each([
    ["", {}],
    ["pageSize=10", { pageSize: 10 }],
    ["pageSize=007", { pageSize: 7 }],
    ["pageSize=-0", { pageSize: 0 }],
    ["pageSize=-2147483648", { pageSize: -2147483648 }],
    ["inactive=true", { inactive: true }],
    ["inactive=false", { inactive: false }],
    ["network=testnet", { network: "testnet" }],
    [`address=${ADDRESS}`, { address: ADDRESS.toLowerCase() }],
    [`hash=${HASH}`, { hash: HASH.toLowerCase() }],
    ["block=0&at=12", { block: "0", at: "12" }],
    [`block=${"9".repeat(78)}`, { block: "9".repeat(78) }],
    ["pageToken=a%26b%3D%2B+c", { pageToken: "a&b=+ c" }],
    ["pageToken=a=b", { pageToken: "a=b" }],
    ["page%53ize=5", { pageSize: 5 }],
    ["txTypes=mainnet&txTypes=fuji", { txTypes: ["mainnet", "fuji"] }],
    ["txTypes=fuji&txTypes=", { txTypes: ["fuji"] }],
    ["addresses=a", { addresses: ["a"] }],
    ["addresses=a%2Cb,%20c", { addresses: ["a", "b", "c"] }],
    ["addresses=a,,b", { addresses: ["a", "", "b"] }],
    ["addresses=", {}],
    ["addresses=a&addresses=b,c", { addresses: ["a", "b", "c"] }],
    ["addresses[]=a&addresses[]=b", { addresses: ["a", "b"] }],
    ["addresses[0]=a,b&addresses[1]=c", { addresses: ["a", "b", "c"] }],
    ["addresses%5B0%5D=a&addresses=b&addresses%5b%5d=c", { addresses: ["a", "b", "c"] }],
    ["txTypes[]=mainnet&txTypes[]=fuji", { txTypes: ["mainnet", "fuji"] }],
    ["txTypes[0]=mainnet&txTypes[12]=fuji&txTypes=testnet", { txTypes: ["mainnet", "fuji", "testnet"] }],
    ["tx%54ypes%5B%5D=fuji", { txTypes: ["fuji"] }],
    ["txTypes[]=&addresses[0]=", {}],
    ["pageSize[]=5&network[0]=fuji&nodeIds[]=a,b", { pageSize: 5, network: "fuji", nodeIds: "a,b" }],
    ["nodeIds=a,b", { nodeIds: "a,b" }],
    ["pageSize=&pageSize=3&pageToken&&=&=x", { pageSize: 3 }],
    ["unknown=1&unknown=2&PAGESIZE=x&chainId=2&__proto__=1&constructor=2", {}],
    ["unknown[]=1&__proto__[x]=1&constructor[0]=2&[]=1&pageSizes[]=1&pageSize-x=1&my.pageSize=1&chainId[]=1", {}],
  ])("with the query %j are %j", (query, variables) => {
    expect(parse({ chainId: "1" }, query)).toEqual({ chainId: "1", ...variables });
  });

  it.each([
    ["pageSize=ten", 'pageSize must be an integer of at most 32 bits, got "ten"'],
    ["pageSize=1.5", 'pageSize must be an integer of at most 32 bits, got "1.5"'],
    ["pageSize=1e1", 'pageSize must be an integer of at most 32 bits, got "1e1"'],
    ["pageSize=0x1", 'pageSize must be an integer of at most 32 bits, got "0x1"'],
    ["pageSize=%2B1", 'pageSize must be an integer of at most 32 bits, got "+1"'],
    ["pageSize=2147483648", 'pageSize must be an integer of at most 32 bits, got "2147483648"'],
    ["pageSize=99999999999999999999", 'pageSize must be an integer of at most 32 bits, got "99999999999999999999"'],
    ["inactive=1", 'inactive must be true or false, got "1"'],
    ["inactive=TRUE", 'inactive must be true or false, got "TRUE"'],
    ["network=Fuji", 'network must be one of mainnet, fuji, testnet, got "Fuji"'],
    ["txTypes=fuji&txTypes=x", 'txTypes must be one of mainnet, fuji, testnet, got "x"'],
    ["txTypes=fuji,testnet", 'txTypes must be one of mainnet, fuji, testnet, got "fuji,testnet"'],
    ["txTypes[]=fuji&txTypes[]=x", 'txTypes must be one of mainnet, fuji, testnet, got "x"'],
    ["txTypes[]=fuji,testnet", 'txTypes must be one of mainnet, fuji, testnet, got "fuji,testnet"'],
    ["pageSize[]=1&pageSize[]=2", 'pageSize must be given once, got also "2"'],
    ["pageSize=1&pageSize[0]=1", 'pageSize must be given once, got also "1"'],
    ["address=0x12", 'address must be 0x and 40 hex digits, got "0x12"'],
    ["hash=0x12", 'hash must be 0x and 64 hex digits, got "0x12"'],
    ["block=1e%2B21", 'block must be a non-negative integer, got "1e+21"'],
    ["block=-1", 'block must be a non-negative integer, got "-1"'],
    ["block=1.5", 'block must be a non-negative integer, got "1.5"'],
    ["block=0x10", 'block must be a non-negative integer, got "0x10"'],
    ["block=%20", 'block must be a non-negative integer, got " "'],
    [`block=${"9".repeat(79)}`, `block must have at most 78 digits, got "${"9".repeat(79)}"`],
    ["pageSize=1&pageSize=1", 'pageSize must be given once, got also "1"'],
    ["pageToken=a&pageToken=b", 'pageToken must be given once, got also "b"'],
    ["pageToken=%E0%A4%A", 'URL must be percent-encoded UTF-8, got "%E0%A4%A"'],
    ["unknown=%", 'URL must be percent-encoded UTF-8, got "%"'],
  ])("with the query %j are refused: %s", (query, message) => {
    expect(() => parse({ chainId: "1" }, query)).toThrow(
      expect.objectContaining({ code: "INVALID_PARAMETER", message }) as unknown as Error,
    );
  });

  it.each([
    "txTypes[0][0]",
    "txTypes[0][]",
    "txTypes[][type]",
    "txTypes[type]",
    "txTypes[-1]",
    "txTypes[ ]",
    "txTypes[",
    "txTypes]",
    "txTypes[]x",
    "txTypes.0",
    "txTypes%5B%5D",
    "txTypes ",
    "pageSize[gte]",
  ])("are refused if the name is %s, with a value and without", (sent) => {
    const name = /^\w+/.exec(sent)?.[0];
    for (const value of ["fuji", ""])
      expect(() => parse({ chainId: "1" }, `${encodeURIComponent(sent)}=${value}`)).toThrow(
        expect.objectContaining({
          code: "INVALID_PARAMETER",
          message: `${name} must be named ${name}, ${name}[] or ${name}[0], got ${JSON.stringify(sent)}`,
        }) as unknown as Error,
      );
  });

  it("are refused with every rule that they violate, if the route reports all", () => {
    const operation = parseOperation("all", DOCUMENT.replace("$chainId: String!", "$chainId: Network!"));
    const parseAll = compileParameters(operation, ["chainId"], schema, true);
    const lines = [
      'chainId must be one of mainnet, fuji, testnet, got "x"',
      'pageSize must be an integer of at most 32 bits, got "\\n"',
      'pageToken must be given once, got also "b"',
    ];
    expect(() => parseAll({ chainId: "x" }, "pageSize=%0A&pageToken=a&pageToken=b&block=1")).toThrow(
      expect.objectContaining({ code: "INVALID_PARAMETER", message: lines.join("\n") }) as unknown as Error,
    );
    expect(parseAll({ chainId: "fuji" }, "pageSize=1")).toEqual({ chainId: "fuji", pageSize: 1 });
  });

  it("are refused if a required one is missing", () => {
    const operation = parseOperation("one", "query One($threshold: Quantity!, $size: Int! = 3) { body: all }");
    const parseOne = compileParameters(operation, [], schema);
    expect(() => parseOne({}, "threshold=")).toThrow("threshold must be given");
    expect(parseOne({}, "threshold=1")).toEqual({ threshold: "1" });
  });

  it("cannot be compiled for a path parameter without a variable, or a variable without a parser", () => {
    const operation = (text: string) => parseOperation("sample", text);
    expect(() => compileParameters(operation("query($a: Int) { body: all }"), ["b"], schema)).toThrow("{b}");
    expect(() => compileParameters(operation("query($a: Json) { body: all }"), [], schema)).toThrow("Json");
    expect(() => compileParameters(operation("query($a: Nope) { body: all }"), [], schema)).toThrow("parameter a");
  });
});
