/** `crewagent conversations`: lists, shows, renames, archives and deletes conversations. */

import {
  type ConversationAddress,
  CrewError,
  type ListedConversation,
  type ListedRun,
  type Runtime,
  resolveConversation,
  showWork,
  toStored,
  type WorkReport,
} from '@crewagent/core';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { activeStory, calledStory, toWorkItems } from '@crewagent/protocol/story/work-story';
import { confirmDeletion } from '../ask/prompter.ts';
import type { ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { describeItem } from '../print/describe-item.ts';
import {
  describeAge,
  describeAgent,
  describeModel,
  describePhase,
  describeTitle,
  describeUsage,
  type PhaseLabel,
  shortId,
  toContinueCommand,
  usageOf,
} from '../print/describe-work.ts';
import { printWorks, type RowTexts } from '../print/list-works.ts';
import { describePending } from '../print/pending.ts';
import { toField } from '../print/table.ts';
import { say } from '../print/texts/say.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';

export interface ListOptions {
  readonly project?: string;
  readonly all?: true;
  readonly json?: true;
}

export async function list({ project, all, json }: ListOptions): Promise<ExitCode> {
  const runtime = openRuntime();
  const found = await runtime.listConversations({ projectPath: project });
  const archived = all ? await runtime.listConversations({ projectPath: project, isArchived: true }) : [];
  // Damaged conversations are in both lists.
  const listed = [...found, ...archived.filter(({ record }) => record)].sort(byActivity);
  const conversations = await runtime.settleListed(listed);
  return printWorks(runtime.store, conversations, {
    isJson: json === true,
    idName: 'conversationId',
    empty: say(project === undefined ? 'show.noConversations' : 'show.noConversationsHere'),
    widest: [13, 26, 44, 28, 20, 16],
    async createDescriber() {
      const runs = await runtime.settleListed(await runtime.listRuns());
      const byId = new Map(runs.map((run) => [run.workId, run]));
      const byParent = groupByParent(runs);
      return (record) =>
        toRowTexts(record, byId.get(record.activeRunId ?? ''), byParent.get(record.workId) ?? []);
    },
  });
}

/** Latest first, damaged conversations last. */
function byActivity(a: ListedConversation, b: ListedConversation): number {
  const [one = '', other = ''] = [a.record?.updatedAt, b.record?.updatedAt];
  return one === other ? 0 : one < other ? 1 : -1;
}

function groupByParent(runs: readonly ListedRun[]): ReadonlyMap<string, readonly ListedRun[]> {
  const groups = new Map<string, ListedRun[]>();
  for (const run of runs) {
    const { parentId = '' } = run.record ?? {};
    const group = groups.get(parentId);
    if (group) group.push(run);
    else groups.set(parentId, [run]);
  }
  return groups;
}

function toRowTexts(
  record: ConversationRecord,
  active: ListedRun | undefined,
  runs: readonly ListedRun[],
): RowTexts {
  // Messages go to the active run, so the status is that of the run.
  const run = active?.record;
  const left = runs.filter(
    ({ record: child }) => child && child.workId !== record.activeRunId && !toStatus(child).isCompleted,
  );
  const notes = [
    ...(left.length > 0 ? [say('show.left', { count: left.length })] : []),
    ...(record.archivedAt === undefined ? [] : [`(${say('show.archived')})`]),
  ];
  return {
    status: describeStatus(run ?? record, run !== undefined),
    cells: [describeTitle(record, run?.workflowTitle), describeKind(record)],
    ...(notes.length === 0 ? {} : { suffix: style('dim', notes.join(' ')) }),
  };
}

/** An idle conversation is shown as open, not as waiting. */
function describeStatus(
  { phase, reason }: { readonly phase: RunPhase; readonly reason?: PhaseReason | undefined },
  isOfRun: boolean,
): PhaseLabel {
  const isIdle = !isOfRun && toStatus({ phase, reason }).kind === 'reply';
  return isIdle ? { mark: '·', label: say('status.open'), style: 'dim' } : describePhase(phase, reason);
}

function describeKind({ kind, agent }: ConversationRecord): string {
  return agent ? sanitize(`${agent.name || agent.agentId} (${agent.package.name})`, 200) : kind;
}

export async function show(ref: string, { json }: { json?: true }): Promise<void> {
  const runtime = openRuntime();
  const address = await resolveConversation(runtime.store, ref);
  await runtime.settleWork(address);
  const report = await showWork(runtime.store, address);
  if (json) return print(JSON.stringify(toJson(report)));
  const projects = await runtime.store.projects.list();
  const project = projects.find(({ projectId }) => projectId === report.record.projectId);
  printHead(report, project?.path);
  const language = userLanguage();
  for (const { item } of toWorkItems(report.view))
    for (const line of describeItem(item, { style, width: undefined, language })) print(line);
  printWait(report);
}

function toJson({ record, view, isOpen }: WorkReport<ConversationRecord>): object {
  const runs = [...view.runs.values()].map(({ runId, workflow, phase, reason, state }) => ({
    runId,
    workflow,
    phase,
    reason,
    state,
  }));
  return {
    record: toStored(record),
    isOpen,
    state: view.state,
    runs,
    usage: usageOf(view).usage,
    timeline: toWorkItems(view),
  };
}

function printHead(
  { record, view, isOpen }: WorkReport<ConversationRecord>,
  project: string | undefined,
): void {
  const now = new Date();
  const active = activeStory(view);
  const { mark, label, style: colour } = describeStatus(active, active !== view.own);
  const { turns, usage } = usageOf(view);
  print(style('bold', describeTitle(record)));
  field('show.with', record.agent ? describeAgent(record.agent) : record.kind);
  if (record.agent)
    field('field.package', sanitize(`${record.agent.package.name} ${record.agent.package.version}`, 200));
  field(
    'show.phase',
    style(colour, `${mark} ${label}`) + (isOpen ? style('dim', ` ${say('status.elsewhere')}`) : ''),
  );
  field('field.model', describeModel(record.model));
  field('field.project', sanitize(project ?? say('show.unknown')));
  field('field.conversation', record.workId);
  for (const [index, runId] of view.state.runIds.entries())
    field(index === 0 ? 'show.runs' : undefined, runId);
  field(
    'show.started',
    say('show.age', {
      created: describeAge(record.createdAt, now),
      changed: describeAge(record.updatedAt, now),
    }),
  );
  if (record.archivedAt !== undefined) field('show.archived', describeAge(record.archivedAt, now));
  field('field.used', describeUsage(turns, usage));
  print();
}

function printWait({ record, view }: WorkReport<ConversationRecord>): void {
  const { pending } = calledStory(view);
  if (pending) {
    print(style('bold', say('show.waits')));
    for (const line of describePending(pending, style)) print(`  ${line}`);
  }
  print();
  field('field.continue', toContinueCommand(record));
}

function field(name: Parameters<typeof say>[0] | undefined, text: string): void {
  print(toField(name ? say(name) : '', text, 14));
}

export async function rename(ref: string, title: string): Promise<void> {
  const { store, renameConversation } = openRuntime();
  const record = await renameConversation(await resolveConversation(store, ref), title);
  printDone(nameOf(record));
}

export async function archive(ref: string, { undo }: { undo?: true }): Promise<void> {
  const { store, archiveConversation } = openRuntime();
  const record = await archiveConversation(await resolveConversation(store, ref), !undo);
  printDone(say(undo ? 'delete.restored' : 'delete.archived', { name: nameOf(record) }));
}

export async function remove(ref: string, { yes }: { yes?: true }): Promise<void> {
  const runtime = openRuntime();
  const address = await resolveConversation(runtime.store, ref);
  const description = await describeDeletion(runtime, address);
  if (!yes && !(await confirmDeletion(description))) return;
  await runtime.deleteWork(address);
  printDone(say('delete.done', { name: description }));
}

/** Names the conversation and its runs. A damaged conversation can be deleted, too. */
async function describeDeletion({ store }: Runtime, address: ConversationAddress): Promise<string> {
  try {
    const { record, view } = await showWork(store, address);
    const { length } = view.state.runIds;
    const name = nameOf(record);
    return length === 0 ? name : say('delete.withRuns', { name, count: length });
  } catch (error) {
    if (!(error instanceof CrewError) || error.code !== 'STORE_DAMAGED') throw error;
    return `${say('field.conversation')} ${shortId(address.workId)}`;
  }
}

function nameOf(record: ConversationRecord): string {
  return `${say('field.conversation')} ${shortId(record.workId)} (${describeTitle(record)})`;
}
