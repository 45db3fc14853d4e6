/** `crewagent compare`: runs side by side. */
import { CrewError, compareFile, readComparison } from '@crewagent/core';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openRuntime } from '../open-runtime.ts';
import { describeComparison } from '../print/describe-comparison.ts';
import { printDiff } from '../print/print-diff.ts';
import { say } from '../print/texts/say.ts';
import { print, style } from '../terminal.ts';

export interface CompareOptions {
  readonly diff?: string;
  readonly all?: true;
  readonly json?: true;
}

export async function compare(
  refs: readonly string[],
  { diff: path, all, json }: CompareOptions,
): Promise<ExitCode> {
  const { store } = openRuntime();
  const [one, other] = refs;
  if (path !== undefined && one !== undefined && other !== undefined) {
    const shown = await compareFile(store, [one, other], path);
    if (json) print(JSON.stringify(shown));
    else if (shown.diff === undefined) print(say(`compare.${shown.reason ?? 'same'}`));
    else printDiff(shown.diff);
    return EXIT.ok;
  }
  if (path !== undefined) throw new CrewError('USAGE', 'Give two runs, and the path of a file with --diff.');
  const comparison = await readComparison(store, refs);
  if (json) print(JSON.stringify(comparison));
  else
    for (const line of describeComparison(
      comparison,
      { width: hostProcess().stdout.columns || 100, withSame: all === true },
      style,
    ))
      print(line);
  return EXIT.ok;
}
