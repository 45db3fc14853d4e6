/**
 * Spans and metrics of a Work, folded from its events: run, node, turn, and in a turn the reply of the model and the tool calls. Names are
 * those of the semantic conventions for generative AI. Times are those of the events.
 */
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { modelNameOf, type Provider, type RunModel } from '@crewagent/protocol/model';
import { resolveTraits } from '../llm/provider/provider-profiles.ts';
import type { Meters } from './meters.ts';
import { createOpenSpans, type OpenSpan, type OpenSpans } from './open-spans.ts';
import type { Attributes, Span } from './otlp.ts';

export interface FollowedWork {
  readonly workId: string;
  /** The Work whose trace it is: that of the caller, for a called workflow. */
  readonly rootId: string;
  readonly model: RunModel;
  /** Undefined for a conversation. */
  readonly workflow: string | undefined;
}

export interface FollowOptions {
  readonly meters: Meters;
  /** Whether spans contain the texts of replies. */
  readonly includesContent: boolean;
  onSpan(span: Span): void;
}

interface Following extends FollowOptions {
  readonly work: FollowedWork;
  /** Where requests go. */
  readonly server: Attributes;
  readonly spans: OpenSpans;
}

export function followWork(work: FollowedWork, options: FollowOptions): (event: RunEvent) => void {
  const { provider, server } = describeProvider(work.model);
  const attributes = { 'gen_ai.conversation.id': work.workId, 'gen_ai.provider.name': provider };
  const spans = createOpenSpans({ ...work, attributes }, options.onSpan);
  const following = { ...options, work, server, spans };
  return (event) => {
    // Those of called workflows are followed where they come from.
    if (event.runId !== work.workId) return;
    followPosition(event, following);
    followModel(event, following);
    followCalls(event, following);
    followDecisions(event, following);
  };
}

/** Runs and nodes. */
function followPosition(event: RunEvent, { spans, work, meters }: Following): void {
  const ensureRun = (): void => {
    if (!spans.get('run')) spans.begin(event, 'run', ...describeRun(work));
  };
  const ensureNode = (nodeId: string | undefined): void => {
    if (nodeId === undefined || spans.get('node')?.attributes[NODE] === nodeId) return;
    spans.end(event, 'node');
    spans.begin(event, 'node', `node ${nodeId}`, { [NODE]: nodeId });
  };
  if (event.type === 'run.resumed') ensureRun();
  else if (event.type === 'turn.started') {
    ensureRun();
    ensureNode(event.nodeId);
  } else if (event.type === 'state.changed' && spans.get('run') && event.from !== event.to)
    ensureNode(event.to);
  else if (event.type === 'phase.changed' && event.phase === 'Running') ensureRun();
  else if (event.type === 'phase.changed') {
    const stop = { 'crewagent.phase': event.phase, 'crewagent.reason': event.reason?.code };
    const run = spans.get('run');
    if (run) {
      Object.assign(run.attributes, stop);
      meters.stops(stop);
    }
    spans.endTools(event);
    spans.end(event, 'run', event.phase === 'Failed' ? (event.reason?.code ?? 'failed') : undefined);
  }
}

function describeRun({ workflow }: FollowedWork): [name: string, attributes: Attributes] {
  if (workflow === undefined) return ['invoke_agent', { 'gen_ai.operation.name': 'invoke_agent' }];
  const operation = 'invoke_workflow';
  return [
    `${operation} ${workflow}`,
    { 'gen_ai.operation.name': operation, 'gen_ai.workflow.name': workflow },
  ];
}

/** Turns, and what the model was asked and replied in them. */
function followModel(event: RunEvent, following: Following): void {
  const { spans, work, server, meters, includesContent } = following;
  const chat = spans.get('chat');
  switch (event.type) {
    case 'turn.started': {
      spans.end(event, 'turn');
      const model = event.model ?? modelNameOf(work.model);
      const { turn, agentId, requestBytes } = event;
      spans.begin(event, 'turn', `turn ${turn}`, { 'crewagent.turn': turn, 'gen_ai.agent.name': agentId });
      spans.begin(event, 'chat', `chat ${model}`, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': model,
        ...server,
        'crewagent.request.bytes': requestBytes,
      });
      break;
    }
    case 'message.completed':
      if (!chat || event.purpose !== 'reply') break;
      chat.endMs = Date.parse(event.ts);
      if (event.finishReason) chat.attributes['gen_ai.response.finish_reasons'] = [event.finishReason];
      if (includesContent) chat.attributes['gen_ai.output.messages'] = toMessages(event);
      meters.duration((chat.endMs - chat.span.startMs) / 1_000, labelsOf(chat));
      break;
    case 'usage.updated':
      addUsage(event, chat, following);
      break;
    case 'llm.retry':
      spans.note(event, 'retry', { attempt: event.attempt, 'error.type': event.code });
      break;
    case 'error':
      spans.note(event, 'error', { 'error.type': event.code });
      if (!chat || chat.endMs !== undefined) break;
      chat.endMs = Date.parse(event.ts);
      chat.attributes['error.type'] = event.code;
      meters.duration((chat.endMs - chat.span.startMs) / 1_000, {
        ...labelsOf(chat),
        'error.type': event.code,
      });
      break;
    default:
  }
}

/** JSON of the form that the conventions have for messages, because attributes of spans are not nested everywhere. */
function toMessages({ content, finishReason = 'stop' }: EventOf<'message.completed'>): string {
  const parts = [{ type: 'text', content }];
  return JSON.stringify([{ role: 'assistant', parts, finish_reason: finishReason }]);
}

function addUsage(
  { usage: { promptTokens, completionTokens, cachedTokens, costUsd } }: EventOf<'usage.updated'>,
  chat: OpenSpan | undefined,
  { meters }: Following,
): void {
  if (!chat) return;
  Object.assign(chat.attributes, {
    'gen_ai.usage.input_tokens': promptTokens,
    'gen_ai.usage.output_tokens': completionTokens,
    'gen_ai.usage.cache_read.input_tokens': cachedTokens,
    'crewagent.cost.usd': costUsd,
  });
  const labels = labelsOf(chat);
  meters.tokens(promptTokens, { ...labels, 'gen_ai.token.type': 'input' });
  meters.tokens(completionTokens, { ...labels, 'gen_ai.token.type': 'output' });
  if (costUsd !== undefined) meters.cost(costUsd, labels);
}

function followCalls(event: RunEvent, { spans, meters }: Following): void {
  if (event.type === 'tool.started') {
    const { name, callId, path } = event;
    spans.end(event, 'chat');
    spans.beginTool(event, callId, `execute_tool ${name}`, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': callId,
      'crewagent.path': path,
    });
  } else if (event.type === 'tool.ended') {
    const { name, callId, outcome, code = outcome } = event;
    spans.endTool(event, callId, outcome === 'ok' ? undefined : code);
    meters.calls({ 'gen_ai.tool.name': name, 'crewagent.outcome': outcome });
  }
}

/** Refusals, and what people are asked and decide. */
function followDecisions(event: RunEvent, { spans, meters }: Following): void {
  switch (event.type) {
    case 'transition.refused':
      meters.refusals({ 'error.type': event.code ?? 'E_INVALID_TRANSITION' });
      spans.note(event, event.type, { from: event.from, to: event.to, 'error.type': event.code });
      break;
    case 'check.waived':
      spans.note(event, event.type, { 'crewagent.check': event.check, [NODE]: event.nodeId });
      break;
    case 'question.asked':
    case 'question.answered':
      spans.note(event, event.type, { 'gen_ai.tool.call.id': event.callId });
      break;
    case 'approval.requested':
      spans.note(event, event.type, { 'gen_ai.tool.name': event.tool });
      break;
    case 'approval.resolved':
      spans.note(event, event.type, { 'gen_ai.tool.name': event.tool, 'crewagent.decision': event.decision });
      break;
    default:
  }
}

const NODE = 'crewagent.node.id';

const LABELS = [
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'server.address',
  'server.port',
];

function labelsOf({ attributes }: OpenSpan): Attributes {
  return Object.fromEntries(LABELS.map((name) => [name, attributes[name]]));
}

/** Names that the conventions have for providers; others have their own name here. */
const WELL_KNOWN: Partial<Record<Provider, string>> = {
  azure: 'azure.ai.openai',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
  moonshot: 'moonshot_ai',
};

/** With a generic provider, the host of the address: which product answers there is not known. */
function describeProvider(model: RunModel): { readonly provider: string; readonly server: Attributes } {
  if (model.kind !== 'provider') return { provider: `crewagent.${model.kind}`, server: {} };
  const { provider, endpoint } = resolveTraits(model.settings);
  const { hostname, port, protocol, host } = endpoint;
  const name = provider === 'generic' ? host : (WELL_KNOWN[provider] ?? provider);
  if (provider === 'builtin') return { provider: name, server: {} };
  return {
    provider: name,
    server: {
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    },
  };
}
