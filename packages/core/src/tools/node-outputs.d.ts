import type { MountedFs } from '../mounts/mounted-fs.ts';

type Variables = Readonly<Record<string, unknown>>;
/** The outputs that are not there, as written after filling in variables. */
export declare function findMissingOutputs(
  outputs: readonly string[],
  variables: Variables,
  files: MountedFs,
): Promise<string[]>;
/** Braces whose variable is not set stay as they are. */
export declare function fillVariables(path: string, variables: Variables): string;
