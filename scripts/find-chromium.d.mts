export function findChromium(env?: NodeJS.ProcessEnv): string | undefined;
export function ensureChromium(): Promise<void>;
