/** Bundles named entry files into `dir`; lazily imported modules become chunks. */
export function bundle(input: Record<string, string>, dir: string, output?: object): Promise<void>;

/** For rolldown and vite: `import source from './x.ts?thread'` is that module, bundled to the text of one script. */
export const threadSource: import('vite').Plugin;
