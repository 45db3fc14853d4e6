/** `crewagent rerun RUN --stale`: runs again what is out of date, in a new run that takes over everything else. */
import { CrewError, resolveRun } from '@crewagent/core';
import { confirm } from '../ask/prompter.ts';
import { createAttendance } from '../attendance.ts';
import { driveRun } from '../drive/drive-run.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { shortId } from '../print/describe-work.ts';
import { printRerun } from '../print/print-rerun.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { isInteractive, print, printDone, sanitize } from '../terminal.ts';
import { type ModelOptions, toModelChoice } from './run-options.ts';

export interface RerunOptions extends ModelOptions {
  readonly stale: true;
  readonly preview?: true;
  readonly yes?: true;
  readonly input: readonly string[];
  readonly json?: true;
  readonly plain?: true;
}

export async function rerun(ref: string, options: RerunOptions): Promise<ExitCode> {
  const { preview, yes, json } = options;
  return withSignals(async (watch) => {
    const attendance = createAttendance(options);
    const runtime = openRuntime(attendance);
    const address = await resolveRun(runtime.store, ref);
    await runtime.settleWork(address);
    const plan = await runtime.planRerun(address.workId);
    const { first } = plan;
    if (json && (preview || !first)) print(JSON.stringify(plan));
    else if (!first) printDone(say('rerun.none'));
    else if (!json) {
      print(say('rerun.text', { step: sanitize(first.nodeId, 100) }));
      printRerun(plan);
    }
    if (!first || preview) return EXIT.ok;
    if (!yes) {
      if (!isInteractive() || json)
        throw new CrewError(
          'USAGE',
          'Confirm what would run again with --yes, or look at it with --preview.',
        );
      if (!(await confirm(`${say('rerun.confirm')} [y/N] `))) {
        print(say('rerun.declined'));
        return EXIT.interrupted;
      }
    }
    const request = { run: address.workId, seen: plan.id, model: toModelChoice(options) };
    const { workId, nodeId } = await runtime.rerunStale(request);
    if (!json) printDone(say('rerun.started', { id: shortId(workId), step: sanitize(nodeId, 100) }));
    const run = await runtime.openRun(workId);
    return driveRun(runtime, run, { attendance, watch, first: (work) => work.resume() });
  });
}
