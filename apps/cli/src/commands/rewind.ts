/** `crewagent rewind`: starts a step of a run again, the one it is at or an earlier one. */

import { isUndone } from '@crewagent/protocol/story/describe-item';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { describeUndone } from '../print/describe-item.ts';
import { shortId } from '../print/describe-work.ts';
import { say } from '../print/texts/say.ts';
import { print, printDone, sanitize } from '../terminal.ts';

export interface RewindOptions {
  readonly node?: string;
  readonly undo?: true;
  readonly json?: true;
}

export async function rewind(ref: string, { node, undo, json }: RewindOptions): Promise<ExitCode> {
  const run = await openRuntime().openRun(ref);
  try {
    const nodeId = node ?? run.engine.memory.state.currentNodeId;
    const { stop, files } = await run.rewind({ nodeId, undoesFiles: undo === true });
    if (json) print(JSON.stringify({ nodeId, stop, files }));
    else {
      const id = shortId(run.record.workId);
      printDone(say('rewind.done', { run: id, node: sanitize(nodeId) }));
      for (const file of files) print(`  ${describeUndone(file)}`);
    }
    return files.every(isUndone) ? EXIT.ok : EXIT.failed;
  } finally {
    await run.close();
  }
}
