/** JSON-RPC codes of a request that cannot be read, and of one that is not JSON-RPC 2.0. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
