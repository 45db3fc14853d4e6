/**
 * The messages for a model as a fold over the events of its run; live and after a restart the same code gives the
 * same messages. Scoped by node: a new node replaces the messages of the previous one by a short summary.
 */
import type { AnchorBlocks, LoggedToolCall, PromptSubject } from '@crewagent/protocol/event-messages';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { parseObject } from '@crewagent/protocol/json-object';
import type { ContextScope } from '@crewagent/protocol/settings';
import { effectOf } from '@crewagent/protocol/tool-effects';
import type { Question } from '@crewagent/protocol/tools';
import type { SentFact } from '../llm/request-facts.ts';
import type { UserPart } from '../llm/user-parts.ts';
import type { AssistantMessage, ChatMessage, ToolMessage, WireToolCall } from '../llm/wire.ts';
import { toAnswerText, toChosenOption } from './answer-text.ts';
import { compactMessages } from './compaction.ts';
import { parseAnchorBlocks, parseSubject } from './earlier-logs.ts';
import { addVisit, createVisit, toEarlierNodes, type Visit } from './earlier-nodes.ts';
import { outlineExchanges, toOutlinePart, toSaidLine } from './outline.ts';
import { toUserInput } from './prompt-blocks.ts';
import { retirePictures } from './shown-pictures.ts';
import { toCallFacts } from './tool-groups.ts';
import { addUserPart } from './user-text.ts';

export interface HistoryOptions {
  readonly scope: ContextScope;
  /** Converts a tool name to one that providers accept. */
  toWireName(name: string): string;
}

export class History {
  /** Everything after the system messages. User messages are never adjacent. */
  messages: ChatMessage[] = [];
  /** Calls of the last reply without a result, in order. */
  openCalls: LoggedToolCall[] = [];
  /** The node the messages belong to. */
  nodeId: string | undefined;
  /** Key of the last anchor. */
  anchorKey: string | undefined;
  /** Changes of the state since the last anchor that the messages do not show: none of the model's calls made them. */
  unseenChanges = 0;
  /** The state changed, and no call has ended since. */
  hasNewChange = false;
  readonly visits: Visit[] = [];
  visit: Visit | undefined;
  /** The last questions to the user. */
  questions: readonly Question[] = [];
  /** The last reply moved the run to another node and made more calls after that. */
  hasCallsAfterMove = false;
  /** Names of calls that were rejected because the run had moved; the next anchor lists them. */
  refusedCalls: string[] = [];
  /** The run arrived at a node that calls a workflow: its anchor is sent after the call has returned. */
  isAnchorDue = false;
  /** Files that were sent with the step of the node. */
  prefetched: NonNullable<AnchorBlocks['prefetched']> = [];
  /** Number of replies with calls. */
  groups = 0;
  /** What was sent, for consumers that do not read the messages. */
  sent: SentFact[] = [];
  /** By node: the full text of exchanges that were replaced by outlines. */
  readonly earlierTexts = new Map<string, string>();
  /** By call: results that were replaced by a reference to the same result of an earlier call. */
  readonly repeatedResults = new Map<string, string>();
  /** Result of the last compaction. */
  lastCompaction: Pick<EventOf<'context.compacted'>, 'outcome' | 'tokensBefore'> | undefined;
}

/** Whether the messages contain what an anchor says: in the last anchor, and in the calls that set variables since. */
export function isAnchorKnown({ anchorKey, unseenChanges }: History, key: string): boolean {
  if (key === anchorKey) return true;
  // The second part of a key stands for the variables.
  return unseenChanges === 0 && anchorKey !== undefined && key.split('-')[0] === anchorKey.split('-')[0];
}

/** The nodes whose brief was sent, as far as they are remembered. */
export function visitedNodes({ visits, visit }: History): string[] {
  return [...visits, ...(visit ? [visit] : [])].map(({ nodeId }) => nodeId);
}

export function addToHistory(history: History, event: RunEvent, options: HistoryOptions): void {
  switch (event.type) {
    case 'message.completed':
      addMessage(history, event, options);
      break;
    case 'tool.ended':
      addResult(history, event);
      break;
    case 'question.asked':
      history.questions = event.questions;
      break;
    case 'question.answered':
      history.visit?.inputs.push({ text: toAnswerText(event.answers, history.questions) });
      break;
    case 'call.started':
      enterNode(history, event.nodeId, options.scope);
      if (options.scope === 'node') history.messages = [];
      history.isAnchorDue = true;
      break;
    case 'call.ended':
      addCallOutcome(history, event);
      break;
    case 'artifact.written':
      history.visit?.artifacts.add(event.path);
      break;
    case 'state.changed':
      if (event.isRewind) addRewind(history, event, options.scope);
      else addStateChange(history, event);
      history.unseenChanges++;
      history.hasNewChange = true;
      break;
    case 'context.compacted':
      // The calls that set variables may be gone.
      history.unseenChanges++;
      compact(history, event);
      break;
    case 'context.reset':
      history.messages = [];
      history.sent = [];
      history.openCalls = [];
      history.hasCallsAfterMove = false;
      break;
    default:
  }
}

function compact(history: History, event: EventOf<'context.compacted'>): void {
  const { messages, nodeId } = history;
  if (event.outlined === undefined) {
    history.messages = compactMessages(messages, event);
    history.lastCompaction = event;
  } else if (nodeId !== undefined) {
    const outline = outlineExchanges(messages, event.outlined, toEarlierPath(nodeId));
    history.messages = [...outline.messages];
    const before = history.earlierTexts.get(nodeId);
    const texts = [...(before === undefined ? [] : [before]), outline.fullText];
    history.earlierTexts.set(nodeId, texts.join('\n\n'));
  }
  restoreRepeated(history);
}

/** The file with the full text of outlined exchanges. */
export function toEarlierPath(nodeId: string): string {
  return `@state/earlier/${nodeId.replace(/[^\w.-]+/g, '_')}.md`;
}

/** A result that was sent as a reference is sent in full again if the earlier call is gone. */
function restoreRepeated({ messages, repeatedResults }: History): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool' || message.content !== REPEATED) continue;
    const content = repeatedResults.get(message.tool_call_id);
    if (content === undefined || isShown(messages, content)) continue;
    messages[index] = { ...message, content };
  }
}

function addMessage(history: History, event: EventOf<'message.completed'>, options: HistoryOptions): void {
  const { content, nodeId, subject } = event;
  const record = (fact: WithoutPosition<SentFact>): number =>
    history.sent.push({ ...fact, at: history.groups });
  switch (event.purpose) {
    case 'anchor':
      if (nodeId !== history.nodeId || history.messages.length === 0)
        enterNode(history, nodeId, options.scope);
      record({ kind: 'anchor', nodeId });
      // Only the first anchor of a node has the step.
      if (event.anchorBlocks?.stepEnd !== undefined) history.prefetched = event.anchorBlocks.prefetched ?? [];
      addUserPart(history.messages, {
        kind: 'anchor',
        text: content,
        blocks: event.anchorBlocks ?? parseAnchorBlocks(content),
      });
      history.anchorKey = event.anchorKey;
      history.unseenChanges = 0;
      history.hasNewChange = false;
      history.isAnchorDue = false;
      history.refusedCalls = [];
      break;
    case 'input':
      history.visit?.inputs.push(toChosenOption(content, history.visit.lastReply));
      record({ kind: 'words', text: content, nodeId });
      addUserPart(history.messages, {
        kind: 'input',
        text: toUserInput(content, nodeId),
        words: content,
        ...(event.pictures && { pictures: event.pictures }),
      });
      retirePictures(history.messages);
      break;
    case 'nudge':
      addUserPart(history.messages, { kind: 'note', text: content });
      break;
    case 'data':
    case 'directive':
      if (subject && isTask(subject)) record({ kind: 'subject', subject });
      // The person's words stay known in later nodes.
      if (subject?.kind === 'conversation')
        history.visit?.inputs.push(...subject.said.map((text) => ({ text })));
      addUserPart(history.messages, {
        ...toDirectivePart(content, subject ?? parseSubject(content)),
        ...(event.pictures && { pictures: event.pictures }),
      });
      break;
    case 'reply':
      if (history.visit && content.trim() !== '') history.visit.lastReply = content;
      history.openCalls = [...(event.toolCalls ?? [])];
      if (history.openCalls.length > 0) history.groups++;
      else {
        // Outside of nodes earlier facts are not needed.
        if (history.nodeId === undefined) history.sent = [];
        record({ kind: 'reply' });
      }
      history.hasCallsAfterMove = false;
      history.messages.push(toAssistantMessage(event, options));
      retirePictures(history.messages);
  }
}

/** Other subjects only inform the model. */
function isTask({ kind }: PromptSubject): boolean {
  return !['run', 'rewind', 'conversation', 'pictures'].includes(kind);
}

function toDirectivePart(text: string, subject: PromptSubject | undefined): UserPart {
  return subject?.kind === 'rewind' ? { kind: 'note', text } : { kind: 'directive', text, subject };
}

type WithoutPosition<Fact> = Fact extends SentFact ? Omit<Fact, 'at'> : never;

function enterNode(history: History, nodeId: string | undefined, scope: ContextScope): void {
  const isSameVisit = history.visit?.nodeId === nodeId && history.visit?.exit === undefined;
  if (history.visit && !isSameVisit) addVisit(history.visits, history.visit);
  if (scope === 'node') {
    // Calls after the move belong to the new node: their results are still needed.
    const carried = history.hasCallsAfterMove ? lastGroup(history.messages) : [];
    history.messages = [];
    history.sent = [];
    const earlier = toEarlierNodes(history.visits);
    if (earlier !== undefined) addUserPart(history.messages, { kind: 'nodes', text: earlier });
    // The messages of this node were dropped, but the user's input in it still counts.
    if (isSameVisit && history.visit && history.visit.inputs.length > 0 && carried.length === 0)
      addUserPart(
        history.messages,
        toOutlinePart(history.visit.inputs.map(({ text }) => toSaidLine('the user said', text))),
      );
    history.messages.push(...carried);
  }
  history.nodeId = nodeId;
  history.prefetched = [];
  if (!isSameVisit) history.visit = nodeId === undefined ? undefined : createVisit(nodeId);
  history.hasCallsAfterMove = false;
}

function addResult(history: History, event: EventOf<'tool.ended'>): void {
  const { callId, name, code, content } = event;
  if (code === 'E_NODE_CHANGED') history.refusedCalls.push(name);
  const index = history.openCalls.findIndex(({ id }) => id === callId);
  if (index === -1) return;
  history.openCalls.splice(index, 1);
  if (history.hasNewChange && event.outcome === 'ok' && effectOf(event).kind === 'state')
    history.unseenChanges--;
  history.hasNewChange = false;
  const shown = isRepeated(history, content) ? REPEATED : content;
  if (shown === REPEATED) history.repeatedResults.set(callId, content);
  insertResult(history.messages, { role: 'tool', tool_call_id: callId, content: shown });
}

/** In the order of the calls: a file may be written before a question of the same reply is answered. */
function insertResult(messages: ChatMessage[], result: ToolMessage): void {
  const reply = messages.findLast((message) => message.role === 'assistant');
  const ids = reply?.role === 'assistant' ? (reply.tool_calls ?? []).map(({ id }) => id) : [];
  const isLater = (message: ChatMessage | undefined): boolean =>
    message?.role === 'tool' && ids.indexOf(message.tool_call_id) > ids.indexOf(result.tool_call_id);
  let at = messages.length;
  while (isLater(messages[at - 1])) at--;
  messages.splice(at, 0, result);
}

/** A long result that is in the messages already is not sent twice: models read the same file again and again. */
function isRepeated({ messages }: History, content: string): boolean {
  return content.length >= MIN_REPEATED && content.startsWith('{"ok":true') && isShown(messages, content);
}

/** As the result of a call, or sent with the step. */
function isShown(messages: readonly ChatMessage[], result: string): boolean {
  return messages.some(
    ({ role, content }) =>
      (role === 'tool' && content === result) || (role === 'user' && content.includes(` -> ${result}\n`)),
  );
}

const MIN_REPEATED = 600;
const REPEATED = JSON.stringify({
  ok: true,
  unchanged: true,
  hint: 'The result is the same as above.',
});

function addCallOutcome(
  { visit }: History,
  { nodeId, outcome, title, artifacts, returned }: EventOf<'call.ended'>,
): void {
  if (visit?.nodeId !== nodeId) return;
  visit.outcome = `called the workflow "${title}": ${outcome}`;
  for (const path of artifacts) visit.artifacts.add(path);
  for (const name of Object.keys(returned)) visit.variables.add(`${nodeId}.${name}`);
}

function addStateChange(history: History, event: EventOf<'state.changed'>): void {
  const { visit } = history;
  if (visit) for (const name of Object.keys(event.variables)) visit.variables.add(name);
  if (visit && event.carry !== undefined) visit.carry = event.carry;
  if (event.from === event.to) return;
  const reason = event.decisionsAdded.findLast(({ to }) => to === event.to)?.reason;
  if (visit) visit.exit = { to: event.to, label: event.label, reason };
  // The call that moved the run is still open here.
  history.hasCallsAfterMove = history.openCalls.length > 1;
}

/** After a rewind the node starts anew with its next anchor, even if it is the same node. */
function addRewind(history: History, { to }: EventOf<'state.changed'>, scope: ContextScope): void {
  if (history.visit) {
    history.visit.exit = { to, isRewind: true };
    // The node is redone from scratch, not continued.
    history.visit.lastReply = undefined;
    history.earlierTexts.delete(to);
  }
  history.hasCallsAfterMove = false;
  if (scope === 'run') return;
  history.messages = [];
  history.sent = [];
  history.openCalls = [];
}

function lastGroup(messages: readonly ChatMessage[]): ChatMessage[] {
  const start = messages.findLastIndex((message) => message.role === 'assistant');
  return start === -1 ? [] : messages.slice(start).filter(({ role }) => role !== 'user');
}

function toAssistantMessage(
  event: EventOf<'message.completed'>,
  { toWireName }: HistoryOptions,
): AssistantMessage {
  const calls = event.toolCalls ?? [];
  const { reasoning, extra: fields, origin } = event;
  const isPlain =
    reasoning === undefined && fields === undefined && calls.every(({ extra }) => extra === undefined);
  return {
    role: 'assistant',
    content: event.content || (calls.length > 0 ? null : NO_TEXT),
    ...(calls.length > 0 ? { tool_calls: calls.map((call) => toWireCall(call, toWireName)) } : {}),
    ...(isPlain
      ? {}
      : { stored: { origin, reasoning, fields, callFields: calls.map(({ extra }) => extra) } }),
  };
}

/** A content filter may leave an empty reply, which providers reject. */
const NO_TEXT = '(no text)';

/** Arguments that are not a JSON object were rejected; strict providers reject them in the history as well. */
function toWireCall(call: LoggedToolCall, toWireName: HistoryOptions['toWireName']): WireToolCall {
  const args = parseObject(call.arguments);
  return {
    id: call.id,
    type: 'function',
    function: { name: toWireName(call.name), arguments: args ? call.arguments : '{}' },
    facts: toCallFacts(call.name, args ?? {}),
  };
}
