export function bundle(directory: string, scriptDirectory: string): Promise<void>;
