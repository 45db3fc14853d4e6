import type { StoryItem } from '@crewagent/protocol/story/items';
import { describe, expect, it } from 'vitest';
import { toEntry } from './entries.ts';
import { wordsOf } from './words.ts';

type Bare = StoryItem extends infer Item
  ? Item extends StoryItem
    ? Omit<Item, 'seq' | 'ts'>
    : never
  : never;

const entryOf = (item: Bare) =>
  toEntry({ seq: 1, ts: '2026-01-01T09:30:00.000Z', ...item } as StoryItem, {
    maxAnswer: 1_000,
    titleOf: (id) => id,
    words: wordsOf('en'),
  });
const lineOf = (item: Bare): string | undefined => {
  const entry = entryOf(item);
  return entry?.kind === 'line' ? entry.text : undefined;
};

const AGENT = {
  agentId: 'sm',
  name: 'Bob',
  title: 'Scrum\u001b Master',
  package: { name: 'p', version: '1.0.0', hash: 'a'.repeat(64) },
};

describe('entries outside of a run', () => {
  it('[X20] a command is shown as input of the person', () => {
    const command = {
      kind: 'command',
      input: '1\nmore',
      command: 'StartWorkflow',
      reason: 'It fits.',
    } as const;
    expect(entryOf(command)).toEqual({
      time: '09:30:00',
      kind: 'said',
      who: 'Person',
      text: '1\nmore',
      thoughts: '',
    });
  });

  it('[X20] an answer is text: options, yes or no, and the fields of a form by their titles', () => {
    const schema = { properties: { budget: { title: 'Budget in EUR' } } };
    const questions = [
      { id: 'who', prompt: 'For whom?', type: 'multi', options: ['Customers'] },
      { id: 'sure', prompt: 'Sure?', type: 'confirm' },
      { id: 'more', prompt: 'A few details', type: 'form', schema },
      { id: 'none', prompt: 'Name?', type: 'text' },
    ] as const;
    const answers = { who: ['Customers'], sure: true, more: { budget: 1000 }, none: null };
    const entry = entryOf({
      kind: 'question',
      callId: 'c1',
      questions: questions.map((question) => ({ ...question, options: [] })),
      answers,
    });
    const texts = entry?.kind === 'question' ? entry.questions.map(({ answer }) => answer) : [];
    expect(texts).toEqual(['Customers', 'Yes', 'Budget in EUR: 1000', '(skipped)']);
  });

  it('[X20] everything else is a line', () => {
    const rows: [Bare, string][] = [
      [{ kind: 'agent', agent: AGENT }, 'Now talking to Bob, Scrum\uFFFD Master'],
      [{ kind: 'agent', agent: { ...AGENT, title: '' } }, 'Now talking to Bob'],
      [{ kind: 'mark', what: 'agentLeft', name: 'sm' }, 'Left sm; this is a plain chat now'],
      [{ kind: 'mark', what: 'data', name: '@pkg/a.csv' }, 'Attached: @pkg/a.csv'],
      [{ kind: 'mark', what: 'directive', name: '#x' }, 'Instruction: #x'],
      [{ kind: 'mark', what: 'consent', name: '' }, 'One change to the completed workflow was allowed'],
      [
        { kind: 'menu', entries: [{ index: 1, label: 'go', description: 'Go', handlers: [] }] },
        'The menu: 1. go',
      ],
      [
        { kind: 'choices', reason: 'Two fit.', candidates: [{ index: 1, input: '1', label: '1. Go' }] },
        'Two fit. 1. Go',
      ],
      [{ kind: 'run', runId: 'r', afterSeq: 0, title: 'Report' }, 'Started Report'],
      [{ kind: 'mark', what: 'runLeft', name: '', id: 'r' }, 'Left the run; it can be resumed'],
      [{ kind: 'mark', what: 'script', name: '@pkg/a.md' }, 'Following @pkg/a.md'],
      [{ kind: 'mark', what: 'scriptLeft', name: '@pkg/a.md' }, 'Finished @pkg/a.md'],
    ];
    for (const [item, text] of rows) expect(lineOf(item)).toBe(text);
  });

  it('[X20] entries without information are omitted', () => {
    expect(entryOf({ kind: 'notice', level: 'info', code: 'info.help', message: '' })).toBeUndefined();
  });
});
