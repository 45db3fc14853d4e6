/**
 * Timeline entries as sentences, for exports and for the terminal: what happened around the messages, calls and questions. Pure.
 */
import type { ItemOf } from '@crewagent/protocol/timeline';

type SentenceItem = ItemOf<
  | 'artifact'
  | 'undone'
  | 'call'
  | 'call-ended'
  | 'errand'
  | 'consent'
  | 'agent'
  | 'dismissed'
  | 'menu'
  | 'choices'
  | 'info'
  | 'run'
  | 'run-left'
  | 'script'
>;

/** Undefined for entries that tell a reader nothing. */
export function toSentence(item: SentenceItem): string | undefined {
  switch (item.kind) {
    case 'artifact':
      return `Wrote ${item.path}`;
    case 'undone': {
      const files = item.files.map(({ path, outcome }) => `${path} ${outcome}`).join(', ');
      return `${item.direction === 'undo' ? 'Undone' : 'Redone'}: ${files}`;
    }
    case 'call':
      return `${item.nodeId} calls the workflow ${item.title}.`;
    case 'call-ended':
      return `The workflow ${item.title}, called from ${item.nodeId}: ${item.outcome}.`;
    case 'errand':
      if (item.label === '') return undefined;
      return `The model was given ${item.purpose === 'data' ? 'the document' : 'the instruction'} ${item.label}`;
    case 'consent':
      return 'One state change after completion was allowed.';
    case 'agent': {
      const { name, title, package: from } = item.agent;
      return `${name}${title === '' ? '' : `, ${title},`} takes over (${from.name} ${from.version}).`;
    }
    case 'dismissed':
      return `The agent ${item.agentId} was dismissed.`;
    case 'menu':
      return `The menu: ${item.entries.map(({ index, label }) => `${index}. ${label}`).join(', ')}`;
    case 'choices':
      return [item.reason, ...item.candidates.map(({ label }) => label)].join(' ');
    case 'info':
      return undefined;
    case 'run':
      return `The workflow ${item.title} continues here (run ${item.runId}).`;
    case 'run-left':
      return `The run ${item.runId} was left.`;
    case 'script':
      return item.isOver ? `The script ${item.path} has ended.` : `The script ${item.path} starts.`;
  }
}
