export function buildDocs(target: string): Promise<string[]>;
