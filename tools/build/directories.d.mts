export const ROOT: string;
export const RELEASED_BUILD: string;
