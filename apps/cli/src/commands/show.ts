/** `crewagent show`: prints the state of a run without locking it. */
import {
  CrewError,
  isForkProved,
  listForks,
  type RunAddress,
  readEvents,
  readEvidence,
  readUndeclared,
  resolveRun,
  type Store,
  showWork,
  toStored,
  type WorkReport,
} from '@crewagent/core';
import type { RunRecord } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { summaryOf } from '@crewagent/protocol/story/describe-event';
import type { StoryItem } from '@crewagent/protocol/story/items';
import type { Story } from '@crewagent/protocol/story/story';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import { validationContext } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { describeDeviations, describeEvidence } from '../print/describe-evidence.ts';
import { describeText } from '../print/describe-item.ts';
import {
  describeAge,
  describeModel,
  describePhase,
  describeUsage,
  describeWorkflow,
  shortId,
  usageOf,
} from '../print/describe-work.ts';
import { describePending, nextCommands } from '../print/pending.ts';
import { printWrapped } from '../print/print-wrapped.ts';
import { toField } from '../print/table.ts';
import { say } from '../print/texts/say.ts';
import { print, sanitize, style } from '../terminal.ts';
import type { RequestOptions } from './show-request.ts';

export async function show(
  ref: string,
  options: { json?: true; log?: true; evidence?: true } & Partial<RequestOptions>,
  // biome-ignore lint/suspicious/noConfusingVoidType: most of what it prints cannot fail
): Promise<ExitCode | void> {
  const runtime = openRuntime();
  const { store } = runtime;
  if (options.request !== undefined) {
    const { showRequest } = await import('./show-request.ts');
    return showRequest(runtime, ref, { ...options, request: options.request });
  }
  if (options.log) return showLog(store, ref, options);
  if (options.evidence) return showEvidence(store, ref, options);
  const address = await resolveRun(store, ref);
  await runtime.settleWork(address);
  const { view, ...others } = await showWork(store, address);
  const report: RunReport = { ...others, view: view.own };
  if (options.json) return print(JSON.stringify({ ...report, record: toStored(report.record) }));
  const projects = await store.projects.list();
  const project = projects.find(({ projectId }) => projectId === report.record.projectId);
  printHead(report, view, project?.path);
  await printForks(store, address, report.record);
  printNodes(report.view);
  printState(report.view);
  for (const line of describeDeviations(report, (await readEvidence(store, address)).missing, style))
    print(line);
  printMessages(report.view);
  await printUndeclared(store, address);
  printWait(report);
}

interface RunReport extends Omit<WorkReport<RunRecord>, 'view'> {
  readonly view: Story;
}

async function showLog(store: Store, ref: string, { json }: { json?: true }): Promise<void> {
  const log = await store.works.readLog(await resolveRun(store, ref), (event) => {
    if (json) print(JSON.stringify(event));
    else
      print(
        `${style('dim', `${String(event.seq).padStart(4)} ${event.ts.slice(11, 23)}`)} ${style('cyan', event.type.padEnd(18))} ${sanitize(summaryOf(event), 160)}`,
      );
  });
  if (!json) printIntegrity(log);
}

async function showEvidence(store: Store, ref: string, { json }: { json?: true }): Promise<void> {
  const sheet = await readEvidence(store, await resolveRun(store, ref));
  if (json) print(JSON.stringify(sheet));
  else for (const line of describeEvidence(sheet, style)) print(line);
}

function printHead({ record, log, isOpen }: RunReport, view: WorkStory, project: string | undefined): void {
  const { turns, usage } = usageOf(view);
  const { mark, label, style: colour } = describePhase(record.phase, record.reason);
  const now = new Date();
  print(
    `${style('bold', sanitize(record.packageName, 200))} ${sanitize(record.packageVersion, 60)}${describeWorkflow(record)}`,
  );
  field(
    'show.phase',
    style(colour, `${mark} ${label}`) + (isOpen ? style('dim', ` ${say('status.elsewhere')}`) : ''),
  );
  if (record.reason) field(undefined, sanitize(record.reason.message));
  field('field.model', describeModel(record.model));
  field('field.project', sanitize(project ?? say('show.unknown')));
  field('field.package', record.packageHash.slice(0, 12));
  field('field.run', record.workId);
  field(
    'show.started',
    say('show.age', {
      created: describeAge(record.createdAt, now),
      changed: describeAge(record.updatedAt, now),
    }),
  );
  field('field.used', describeUsage(turns, usage));
  printIntegrity(log);
}

async function printForks(store: Store, address: RunAddress, { forkedFrom }: RunRecord): Promise<void> {
  const describe = (workId: string, nodeId: string, visit: number): string =>
    `${shortId(workId)} @ ${sanitize(nodeId, 100)}${visit > 1 ? ` (${visit})` : ''}`;
  if (forkedFrom) {
    const isProved = isForkProved(await readEvents(store.works, address)) === true;
    const proof = isProved ? style('green', say('show.proved')) : style('red', say('show.unproved'));
    field('show.forked', `${describe(forkedFrom.workId, forkedFrom.nodeId, forkedFrom.visit)}  ${proof}`);
  }
  for (const [index, fork] of (await listForks(store, address)).entries())
    field(index === 0 ? 'show.forks' : undefined, describe(fork.workId, fork.nodeId, fork.visit));
}

function printIntegrity({ lastSeq, isIntact, brokenAt }: RunReport['log']): void {
  field(
    'show.log',
    isIntact
      ? say('show.intact', { count: lastSeq })
      : style('red', say('show.broken', { event: brokenAt ?? '?' })),
  );
}

function field(name: Parameters<typeof say>[0] | undefined, text: string): void {
  print(toField(name ? say(name) : '', text, 8));
}

function printNodes(view: Story): void {
  const { nodes, state } = view;
  const { isCompleted } = toStatus(view);
  print(style('bold', say('show.nodes')));
  const done = new Set(state.stepsCompleted);
  for (const { id, title } of nodes) {
    const isCurrent = id === state.currentNodeId && !isCompleted;
    const mark = isCurrent ? style('cyan', '▸') : done.has(id) ? style('green', '✓') : style('dim', '○');
    print(`  ${mark} ${sanitize(title || id, 200)} ${style('dim', `(${sanitize(id, 100)})`)}`);
  }
}

function printState({ state }: Story): void {
  const variables = Object.entries(state.variables);
  if (variables.length > 0) print(style('bold', say('show.variables')));
  for (const [name, value] of variables)
    print(`  ${sanitize(name, 100)} = ${sanitize(JSON.stringify(value) ?? 'null', 300)}`);
  if (state.artifacts.length > 0) print(style('bold', say('show.artifacts')));
  for (const path of state.artifacts) print(`  ${sanitize(path)}`);
}

/** The package may be gone: then nobody can add anything to it. */
async function printUndeclared(store: Store, address: RunAddress): Promise<void> {
  const count = await readUndeclared(address, { store, context: validationContext }).then(
    (files) => files.length,
    (error: unknown) => {
      if (error instanceof CrewError) return 0;
      throw error;
    },
  );
  const [files, command] = [say('declare.count', { count }), `crewagent rights ${shortId(address.workId)}`];
  if (count > 0) print(`${style('yellow', '!')} ${say('declare.command', { files, command })}`);
}

const MESSAGES_SHOWN = 4;

function printMessages({ timeline }: Story): void {
  const messages = timeline.filter(isMessage).slice(-MESSAGES_SHOWN);
  if (messages.length > 0) print(style('bold', say('show.messages')));
  for (const item of messages) {
    const mark = item.kind === 'person' ? style('cyan', '›') : style('dim', '│');
    printWrapped(...describeText(item.text, mark, style).map((line) => `  ${line}`));
  }
}

function isMessage(item: StoryItem): item is Extract<StoryItem, { kind: 'person' | 'reply' }> {
  return item.kind === 'person' || item.kind === 'reply';
}

function printWait({ record, view }: RunReport): void {
  if (view.pending) {
    print(style('bold', say('show.waits')));
    for (const line of describePending(view.pending, style)) print(`  ${line}`);
  }
  if (toStatus(record).isRunning) {
    field('show.stop', `crewagent stop ${shortId(record.workId)}`);
    return;
  }
  const commands = nextCommands(record.workId, record, view.pending);
  for (const [index, command] of commands.entries()) field(index === 0 ? 'field.next' : undefined, command);
}
