export interface InstallOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly isRoot?: boolean;
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly log?: (sentence: string) => void;
  readonly download?: () => void;
  readonly otherPaths?: () => readonly string[];
}

export function ensureChromium(options?: InstallOptions): Promise<string | undefined>;
