/** A source of pseudo-random choices; equal seeds give equal choices. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  integer(below: number): number;
  pick<Value>(values: readonly Value[]): Value;
  /** True with this probability. */
  chance(probability: number): boolean;
}

/** The choices of request `index` do not depend on earlier requests, so that it can be sent alone. */
export function createRandom(seed: number, index: number): Random {
  let state = (Math.imul(seed, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const integer = (below: number): number => Math.floor((next() / 2 ** 32) * below);
  return {
    integer,
    pick: (values) => values[integer(values.length)] as never,
    chance: (probability) => next() / 2 ** 32 < probability,
  };
}
