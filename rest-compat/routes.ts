/**
 * `{base_url}` or `{metrics_url}` of the REST specification. It determines the port of a route and the format of its errors.
 */
export type Base = "data" | "metrics";

export type Method = "GET" | "POST";

/** Two forms of the same responses: that of the REST specification (`contract`), and that of the hosted service (`hosted`). */
export type Dialect = "contract" | "hosted";

/** Which chains decide when the response of a route changes: that of the variable `chainId`, or those of `network`. */
export type HeadKind = "evm" | "primaryNetwork";

export interface Route {
  /** Number in the REST specification. */
  readonly id: string;
  readonly method: Method;
  /** `{name}` stands for one path segment, whose value becomes the variable of that name. */
  readonly path: string;
  readonly base: Base;
  /** File in `operations/`: its variables are the parameters, its `body` is the response body. */
  readonly operation: string;
  /** The operation of the hosted dialect, if its response has another shape. */
  readonly hostedOperation?: string;
  /** The dialect that has the route. Without it, both have it. */
  readonly onlyDialect?: Dialect;
  /** Members that the response has besides those of the operation. */
  readonly constants?: Readonly<Record<string, number>>;
  /**
   * Variable of the operation that takes the JSON body; a list of variables takes its members. Without one, a body is ignored.
   */
  readonly body?: string | readonly string[];
  /** Parameters that are refused unless one of others is given. Without `parameters`, every request must have one of the others. */
  readonly needs?: { readonly parameters?: readonly string[]; readonly oneOf: readonly [string, string] };
  /** Headers, in lower case, with the variable of the operation that each of them sets. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The chains whose new blocks change the response. Without it, the response also changes with time or with what nodes
   * observe, so every conditional request reads the rows.
   */
  readonly head?: HeadKind;
  /** Compute units that a request costs a caller with a rate limit. */
  readonly units: number;
}

/** Every path of the REST specification. A route consists of an entry here, an operation, and rules in `test/conformance/`. */
export const ROUTES: readonly Route[] = [
  {
    id: "E1",
    method: "POST",
    path: "/v1/signatureAggregator/{network}/aggregateSignatures",
    base: "data",
    operation: "aggregate-signatures",
    body: ["message", "justification", "signingSubnetId", "quorumPercentage", "quorumPercentageBuffer", "pChainHeight"],
    units: 20,
  },
  {
    id: "E2",
    method: "GET",
    path: "/v1/signatureAggregator/{network}/aggregateSignatures/{txHash}",
    base: "data",
    operation: "aggregate-transaction-signatures",
    units: 20,
  },
  {
    id: "E3",
    method: "POST",
    path: "/v1/operations/transactions:export",
    base: "data",
    operation: "start-transaction-export",
    body: "request",
    headers: { "idempotency-key": "idempotencyKey" },
    units: 20,
  },
  {
    id: "E4",
    method: "GET",
    path: "/v1/operations/{operationId}",
    base: "data",
    operation: "get-operation",
    units: 10,
  },
  {
    id: "E5",
    method: "GET",
    path: "/v1/networks/{network}/blockchains/{blockchainId}/transactions",
    base: "data",
    operation: "list-primary-transactions",
    hostedOperation: "list-primary-transactions-hosted",
    needs: { parameters: ["txTypes", "startTimestamp", "endTimestamp"], oneOf: ["addresses", "l1ValidationId"] },
    head: "primaryNetwork",
    units: 100,
  },
  {
    id: "E6",
    method: "GET",
    path: "/v1/chains/{chainId}/contracts/{address}/transactions:getDeployment",
    base: "data",
    operation: "get-deployment",
    units: 20,
  },
  {
    id: "E7",
    method: "GET",
    path: "/v1/networks/{network}/subnets",
    base: "data",
    operation: "list-subnets",
    head: "primaryNetwork",
    units: 20,
  },
  {
    id: "E8",
    method: "GET",
    path: "/v1/networks/{network}/blockchains/{blockchainId}/balances",
    base: "data",
    operation: "list-primary-balances",
    hostedOperation: "list-primary-balances-hosted",
    units: 100,
  },
  {
    id: "E8N",
    method: "GET",
    path: "/v1/chains/{chainId}/addresses/{address}/balances:getNative",
    base: "data",
    operation: "get-native-balance",
    units: 20,
  },
  {
    id: "E9",
    method: "GET",
    path: "/v1/chains/{chainId}/addresses/{address}/transactions:listErc20",
    base: "data",
    operation: "list-erc20-transfers",
    head: "evm",
    units: 20,
  },
  {
    id: "E10",
    method: "GET",
    path: "/v1/chains/{chainId}/addresses/{address}/transactions:listInternals",
    base: "data",
    operation: "list-internal-transactions",
    head: "evm",
    units: 20,
  },
  {
    id: "E11",
    method: "GET",
    path: "/v1/networks/{network}/rewards",
    base: "data",
    operation: "list-rewards",
    needs: { oneOf: ["addresses", "nodeIds"] },
    head: "primaryNetwork",
    units: 100,
  },
  {
    id: "E12",
    method: "GET",
    path: "/v1/networks/{network}/validators/{nodeId}",
    base: "data",
    operation: "list-validators",
    units: 20,
  },
  {
    id: "E13",
    method: "GET",
    path: "/v1/networks/{network}/delegators",
    base: "data",
    operation: "list-delegators",
    units: 20,
  },
  {
    id: "E14",
    method: "GET",
    path: "/v1/chains/{chainId}/blocks",
    base: "data",
    operation: "list-evm-blocks",
    head: "evm",
    units: 10,
  },
  {
    id: "E15",
    method: "GET",
    path: "/v1/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/blocks",
    base: "data",
    operation: "list-primary-network-blocks",
    head: "primaryNetwork",
    units: 20,
  },
  {
    id: "E16",
    method: "GET",
    path: "/v1/networks/{network}/l1Validators",
    base: "data",
    operation: "list-l1-validators",
    units: 20,
  },
  { id: "E17", method: "GET", path: "/v1/chains", base: "data", operation: "list-chains", units: 1 },
  { id: "E18", method: "GET", path: "/v1/chains/{chainId}", base: "data", operation: "get-chain", units: 1 },
  {
    id: "E19",
    method: "GET",
    path: "/v1/networks/{network}/blockchains/{blockchainId}/vertices",
    base: "data",
    operation: "list-vertices",
    head: "primaryNetwork",
    units: 20,
  },
  {
    id: "E20",
    method: "GET",
    path: "/v2/chains/{chainId}/contracts/{address}/balances",
    base: "metrics",
    operation: "list-holders-above",
    units: 1_000,
  },
  {
    id: "E21",
    method: "GET",
    path: "/v1/avg_tps/{chainId}",
    base: "metrics",
    operation: "average-tps",
    constants: { status: 200 },
    units: 100,
  },
  {
    id: "E21M",
    method: "GET",
    path: "/v2/chains/{chainId}/metrics/{metric}",
    base: "metrics",
    operation: "chain-metric",
    onlyDialect: "hosted",
    units: 100,
  },
];
