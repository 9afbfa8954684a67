export function heapLimitMegabytes(memoryBytes: number): number;
