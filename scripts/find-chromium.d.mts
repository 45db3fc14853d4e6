export function findChromium(
  env?: NodeJS.ProcessEnv,
  otherPaths?: () => readonly string[],
): string | undefined;

export type PagePlan =
  | { readonly kind: 'run' }
  | { readonly kind: 'skip' | 'fail'; readonly sentence: string };

export function planPageTests(env?: NodeJS.ProcessEnv, otherPaths?: () => readonly string[]): PagePlan;
