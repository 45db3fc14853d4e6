/** `crewagent undo`: undoes or redoes changes of a run or a conversation in the project. */

import { CrewError, type OpenChanges, resolveWork } from '@crewagent/core';
import type { JournalEntry, UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import { isUndone } from '@crewagent/protocol/story/describe-item';
import { confirm } from '../ask/prompter.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { describeUndone } from '../print/describe-item.ts';
import { shortId } from '../print/describe-work.ts';
import { fit } from '../print/text/cells.ts';
import { say } from '../print/texts/say.ts';
import { isInteractive, print, printOutcome, sanitize, style } from '../terminal.ts';

export interface UndoOptions {
  readonly call?: string;
  readonly node?: string;
  readonly all?: true;
  readonly redo?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

export async function undo(ref: string, options: UndoOptions): Promise<ExitCode> {
  const { store, openTreeChanges } = openRuntime();
  const run = await openTreeChanges(await resolveWork(store, ref), true);
  try {
    return await undoIn(run, options);
  } finally {
    await run.close();
  }
}

async function undoIn(run: OpenChanges, options: UndoOptions): Promise<ExitCode> {
  const selection = toSelection(options);
  const changes = selectChanges(run, selection ?? { all: true }, options.redo === true);
  const action = options.redo ? 'redo' : 'undo';
  if (options.dryRun && options.json) {
    print(JSON.stringify({ dryRun: true, changes }));
    return EXIT.ok;
  }
  if (changes.length === 0) {
    if (options.json) print(JSON.stringify({ files: [] }));
    else print(say(`undo.${action}.nothing`));
    return EXIT.ok;
  }
  if (options.dryRun || !selection) {
    if (!options.json) printChanges(changes, action);
    if (options.dryRun) return EXIT.ok;
    if (options.json) throw needsSelection(run, options);
    if (!isInteractive()) {
      print(needsSelection(run, options).message);
      return EXIT.ok;
    }
    if (!(await confirm(`${say(`undo.${action}.confirm`, { count: changes.length })} [y/N] `))) {
      print(say('undo.unchanged'));
      return EXIT.ok;
    }
  }
  const files = await run[action](selection ?? { all: true });
  if (options.json) print(JSON.stringify({ files }));
  else for (const file of files) printFile(file);
  return files.every(isUndone) ? EXIT.ok : EXIT.failed;
}

function needsSelection({ record }: OpenChanges, { redo }: UndoOptions): CrewError {
  const command = `crewagent undo ${shortId(record.workId)}${redo ? ' --redo' : ''}`;
  return new CrewError(
    'USAGE',
    `Nothing was changed. Choose the changes: ${command} --all, or some of them with --node ID or --call ID.`,
  );
}

function toSelection({ call, node, all }: UndoOptions): UndoSelection | undefined {
  if (call !== undefined) return { callId: call };
  if (node !== undefined) return { nodeId: node };
  return all ? { all } : undefined;
}

/** The changes to undo, latest first, or to redo, in order. */
function selectChanges({ journal }: OpenChanges, selection: UndoSelection, isRedo: boolean): JournalEntry[] {
  const known = journal.list().filter((entry) => isSelected(entry, selection));
  if (known.length === 0 && !('all' in selection)) {
    const [kind, id] = 'callId' in selection ? ['call', selection.callId] : ['node', selection.nodeId];
    throw new CrewError(
      'USAGE',
      `The ${kind} "${id}" changed nothing here. crewagent undo ID lists all changes.`,
    );
  }
  const selected = known.filter(({ undone }) => undone === isRedo);
  return isRedo ? selected : selected.reverse();
}

function isSelected({ callId, nodeId }: JournalEntry, selection: UndoSelection): boolean {
  if ('callId' in selection) return callId === selection.callId;
  return 'nodeId' in selection ? nodeId === selection.nodeId : true;
}

function printChanges(changes: readonly JournalEntry[], action: 'undo' | 'redo'): void {
  print(say(`undo.${action}.changes`, { count: changes.length }));
  for (const { path, kind, nodeId, callId, undoable } of changes) {
    const where = style(
      'dim',
      say('undo.where', { node: sanitize(nodeId ?? '-', 80), call: sanitize(callId, 80) }),
    );
    const lost = undoable ? '' : style('yellow', ` ${say('undo.tooLarge')}`);
    print(`  ${fit(say(`undo.kind.${kind}`), 8)} ${sanitize(path)}${lost}  ${where}`);
  }
}

function printFile(file: UndoneFile): void {
  printOutcome(isUndone(file), describeUndone(file));
}
