const frame = (opcode: string, depth: number): string => `,[${depth},"${opcode}","","","0","30000","21000",null,32]`;

/** Text that lists of call trees have in common. Part of the format of stored payloads. */
export const TRACE_DICTIONARY = [
  `"execution reverted","out of gas","SELFDESTRUCT","CALLCODE","CREATE2","CREATE"`,
  ...[4, 3, 2].flatMap((depth) => [frame("DELEGATECALL", depth), frame("STATICCALL", depth), frame("CALL", depth)]),
  `,null,"21000","21000",null,0]],[[0,"CALL","",[1,"DELEGATECALL","",[1,"STATICCALL","",null,"[1,"CALL","","0","`,
].join("");
