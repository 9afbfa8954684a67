export const version: number = 1;
