/**
 * Formats one event as one line of a log. Pure.
 */
import { actionOf } from '@crewagent/protocol/described-actions';
import type { RunEvent } from '@crewagent/protocol/events';
import { sanitize } from '../terminal.ts';
import { describeModel, describeUsage } from './describe-run.ts';
import type { ThreadEvent } from './narrate-thread.ts';

const MAX_TEXT = 160;

export function describeEvent(event: RunEvent): string {
  switch (event.type) {
    case 'run.created':
      return text(
        `${event.package.name} ${event.package.version}, ${event.workflow.title || event.workflow.ref}`,
      );
    case 'run.resumed':
      return text(event.nodeId ?? '');
    case 'phase.changed':
      return text([event.phase, event.reason?.code, event.reason?.message].filter(Boolean).join(': '));
    case 'turn.started':
      return text(`turn ${event.turn} at ${event.nodeId ?? 'the end'}, ${event.requestBytes} bytes`);
    case 'message.delta':
    case 'reasoning.delta':
    case 'message.partial':
      return text(event.text);
    case 'message.completed': {
      const calls = event.toolCalls?.map(({ name }) => name) ?? [];
      return text(`${event.purpose}: ${event.content}${calls.length > 0 ? ` [${calls.join(', ')}]` : ''}`);
    }
    case 'input.queued':
      return text(event.purpose ? `${event.purpose}: ${event.label ?? ''}` : event.content);
    case 'input.withdrawn':
      return text(`message ${event.inputSeq}`);
    case 'context.reset':
      return text(event.message);
    case 'tool.started':
      return text(`${event.name} ${event.path ?? ''}`);
    case 'tool.progress':
      return text(`${event.name} ${event.progress}`);
    case 'tool.ended':
      return text(`${event.name} ${event.outcome} ${event.code ?? ''} ${event.durationMs} ms`);
    case 'state.changed':
      return text(
        [
          event.from === event.to ? `at ${event.to}` : `${event.from} → ${event.to}`,
          event.label && `(${event.label})`,
          event.stepsAdded.length > 0 && `done: ${event.stepsAdded.join(', ')}`,
          Object.keys(event.variables).length > 0 && `set: ${Object.keys(event.variables).join(', ')}`,
          event.notes.length > 0 && `notes: ${event.notes.join(' ')}`,
        ]
          .filter(Boolean)
          .join(' '),
      );
    case 'visit.started':
      return text(`${event.nodeId}, visit ${event.visit}: ${event.files.length} files before`);
    case 'checks.judged':
      return text(
        `${event.nodeId}: ${event.checks.filter(({ ok }) => ok).length} of ${event.checks.length} checks met`,
      );
    case 'check.waived':
      return text(`${event.check} at ${event.nodeId}: ${event.reason}`);
    case 'call.started':
      return text(`${event.nodeId} calls ${event.workflow.title || event.workflow.ref} (${event.childId})`);
    case 'call.ended':
      return text(`${event.title} at ${event.nodeId}: ${event.outcome}`);
    case 'transition.refused':
      return text(`${event.from} → ${event.to}: ${event.message}`);
    case 'artifact.written':
      return text(event.path);
    case 'question.asked':
      return text(event.questions.map(({ id, prompt }) => `${id}: ${prompt}`).join(' | '));
    case 'question.answered':
      return text(JSON.stringify(event.answers));
    case 'approval.requested':
      return text(`${event.tool} ${actionOf(event).target}`);
    case 'approval.resolved':
      return text(
        `${event.decision}${event.reach ? ` (${event.reach})` : ''}: ${event.tool} ${event.path}${event.note ? ` (${event.note})` : ''}`,
      );
    case 'context.compacted':
      return `${event.outcome}, ${event.exchanges ?? event.outlined ?? 0} exchanges, ${event.groups} groups, ${event.tokensBefore} → ${event.tokensAfter} tokens`;
    case 'llm.retry':
      return text(`try ${event.attempt} in ${event.delayMs} ms: ${event.code} ${event.message}`);
    case 'usage.updated':
      return describeUsage(event.turn, event.total);
    case 'changes.undone':
      return text(
        `${event.direction}: ${event.files.map(({ path, outcome }) => `${path} ${outcome}`).join(', ')}`,
      );
    case 'warning':
    case 'error':
      return text(`${event.code ?? ''} ${event.message}`);
    case 'errands.queued':
      return text(event.inputs.map(({ content, label }) => label ?? content).join(', '));
    default:
      return text(describeThread(event));
  }
}

/** Events of a conversation, outside runs. */
function describeThread(event: ThreadEvent): string {
  switch (event.type) {
    case 'consent.given':
      return 'one change after completion';
    case 'conversation.created':
      return event.kind;
    case 'menu.closed':
      return '';
    case 'model.changed':
      return describeModel(event.model);
    case 'agent.entered':
      return `${event.agent.agentId} (${event.agent.name}) of ${event.agent.package.name} ${event.agent.package.version}`;
    case 'agent.dismissed':
      return event.agentId;
    case 'command.resolved':
      return `${event.kind}, ${event.confidence}: ${event.input}`;
    case 'menu.shown':
      return event.entries.map(({ index, label }) => `${index}. ${label}`).join(', ');
    case 'choice.offered':
      return event.candidates.map(({ label }) => label).join(', ');
    case 'info.shown':
      return `${event.topic} ${JSON.stringify(event.details)}`;
    case 'run.entered':
      return `${event.enteredRunId} ${event.title}`;
    case 'run.left':
      return event.leftRunId;
    case 'script.entered':
    case 'script.left':
      return event.path;
  }
}

function text(value: string): string {
  return sanitize(value.trim(), MAX_TEXT);
}
