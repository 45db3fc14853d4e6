/** Bundles named entry files into `dir`; lazily imported modules become chunks. */
export function bundle(input: Record<string, string>, dir: string, output?: object): Promise<void>;
