/** Writes the npm package `@crewagent/client` to this folder. The same sources give the same bytes. */
export function buildClient(folder: string): Promise<void>;
