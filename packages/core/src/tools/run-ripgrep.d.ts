export interface RipgrepRun {
  readonly cwd?: string;
  readonly input?: string;
  readonly signal: AbortSignal;
}
/** Yields what it prints and returns what it complained about. It has ended when this generator has. */
export declare function runRipgrep(
  binary: string,
  args: readonly string[],
  { cwd, input, signal }: RipgrepRun,
): AsyncGenerator<Buffer, string>;
