import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toConversationTitle, toShownTitle } from './conversation-title.ts';
import type { RunEvent, RunFact } from './events.ts';
import { hasInvisible, toTitleText, withoutMarks } from './plain-text.ts';
import { addToWorkStory, createWorkStory } from './story/work-story.ts';

const said = (content: string): RunFact => ({ type: 'input.queued', content });
const bob: RunFact = {
  type: 'agent.entered',
  agent: {
    agentId: 'bob',
    name: 'Bob',
    title: 'Scrum master',
    package: { name: 'sample', version: '1.0.0', hash: 'a'.repeat(64) },
  },
};
const typed = (kind: 'ShowMenu' | 'StartWorkflow' | 'RunAction' | 'Refused'): RunFact => ({
  type: 'command.resolved',
  input: '2',
  kind,
  confidence: 'exact',
  reason: 'r',
});
const menu: RunFact = { type: 'menu.shown', agentId: 'bob', entries: [] };
const entered: RunFact = { type: 'run.entered', enteredRunId: 'r1', afterSeq: 0, title: 'Create a story' };
const created: RunFact = {
  type: 'run.created',
  package: { name: 'sample', version: '1.0.0', hash: 'a'.repeat(64) },
  workflow: { ref: 'w', title: 'Create a story' },
  model: { kind: 'rehearsal' },
  nodes: [],
} as unknown as RunFact;
const asked: RunFact = { type: 'question.asked', callId: 'q', questions: [] };
const replied: RunFact = {
  type: 'message.completed',
  role: 'assistant',
  purpose: 'reply',
  turn: 1,
  content: 'Well.',
};
const changed = {
  type: 'state.changed' as const,
  from: 'a',
  to: 'a',
  stepsAdded: [],
  decisionsAdded: [],
  notes: [],
  sha256: 'a'.repeat(64),
};
const set = (variables: Record<string, unknown>): RunFact => ({ ...changed, variables });
const made = (path: string): RunFact => ({ ...changed, variables: {}, artifactsAdded: [path] });
const answered: RunFact = { type: 'question.answered', callId: 'q', answers: { topic: 'boats' } };

function titleOf(talk: readonly RunFact[], run: readonly RunFact[] = []): string | undefined {
  const view = createWorkStory('c');
  for (const [runId, facts] of [
    ['c', talk],
    ['r1', run],
  ] as const) {
    for (const [index, fact] of facts.entries()) {
      const stamp = { v: 1, seq: index + 1, ts: '2026-01-31T09:30:00.000Z', runId };
      addToWorkStory(view, { ...stamp, ...fact } as RunEvent);
    }
  }
  return toConversationTitle(view);
}

describe('the title of a conversation', () => {
  const cases: [what: string, talk: RunFact[], run: RunFact[], title: string | undefined][] = [
    ['nothing while nothing was said', [bob, menu], [], undefined],
    ['nothing while a run was only begun', [entered], [], undefined],
    [
      'the first thing that was said',
      [bob, menu, said('Plan the sprint'), said('Now')],
      [],
      'Plan the sprint',
    ],
    ['what was said after the menu', [bob, typed('ShowMenu'), menu, said('Plan it')], [], 'Plan it'],
    ['the run and its first input', [entered], [said('About boats')], 'Create a story · About boats'],
    [
      'the run, whatever follows its first reply',
      [entered],
      [asked, answered, replied, said('In British English, please.')],
      'Create a story',
    ],
    [
      'what was said before a run',
      [said('Hi'), typed('StartWorkflow'), entered],
      [said('About boats')],
      'Hi',
    ],
    [
      'the run a command began',
      [bob, typed('StartWorkflow'), entered],
      [said('About boats')],
      'Create a story · About boats',
    ],
    ['the run in which a question was answered', [entered], [asked, answered], 'Create a story'],
    ['nothing while a question is open', [entered], [asked], undefined],
    ['the agent, where only commands were typed', [bob, typed('ShowMenu'), menu], [], 'Bob'],
    ['the agent, where a prompt was chosen', [bob, typed('RunAction')], [], 'Bob'],
    ['nothing without an agent', [typed('Refused')], [], undefined],
    [
      'not what goes with a command',
      [{ ...said('DATA_CONTEXT'), purpose: 'data' } as RunFact],
      [],
      undefined,
    ],
    [
      'the words of a marked text',
      [said('## Please **fix** the `login` of [the app](docs/app.md)')],
      [],
      'Please fix the login of the app',
    ],
    ['never a number', [said('2')], [], undefined],
    ['not an answer to an agent', [bob, said('[C]'), said('好的'), said('Plan it')], [], 'Plan it'],
    ['the agent, where nothing else was said', [bob, said('2')], [], 'Bob'],
    [
      'the run, where only answers were given',
      [entered],
      [said('2'), said('C'), said('yes')],
      'Create a story',
    ],
    [
      'the words that followed an answer',
      [entered],
      [said('2'), said('About boats')],
      'Create a story · About boats',
    ],
    [
      'the run and a variable that names it',
      [entered],
      [set({ storyKey: '1-2', storyTitle: 'User login' })],
      'Create a story · User login',
    ],
    [
      'the run and its first file',
      [entered],
      [made('artifacts/1-2-user-login.md'), made('artifacts/summary.md')],
      'Create a story · User login',
    ],
    [
      'the rehearsed run, without its placeholders',
      [entered],
      [created, set({ storyTitle: 'rehearsal-story-title' })],
      'Create a story (rehearsal)',
    ],
    [
      'the rehearsed run, in the language of its title',
      [{ ...entered, title: '写故事' }],
      [created, made('artifacts/a.md')],
      '写故事（演练）',
    ],
    [
      'the rehearsed run and what was written to it',
      [entered],
      [created, said('About boats')],
      'Create a story · About boats',
    ],
    ['not what is blank', [said(' \n\t '), said('\u200b'), said('Hello')], [], 'Hello'],
  ];
  it.each(cases)('[V32] is %s', (_, talk, run, title) => {
    expect(titleOf(talk, run)).toBe(title);
  });

  const long = 'Write down everything we know about the harbour of Rotterdam, and then some more of it';
  const texts: [what: string, text: string, title: string][] = [
    ['first line', '\n\n  Fix the build  \nIt fails since Monday', 'Fix the build'],
    ['white space', 'Fix\t\tthe   build', 'Fix the build'],
    ['sixty characters', 'x'.repeat(60), 'x'.repeat(60)],
    ['a cut at a word', long, 'Write down everything we know about the harbour of…'],
    ['a cut behind a word', `${'abcd '.repeat(11)}abcd efgh`, `${'abcd '.repeat(11)}abcd…`],
    ['no comma before the cut', `${'a'.repeat(50)}, ${'b'.repeat(50)}`, `${'a'.repeat(50)}…`],
    ['one long word', 'x'.repeat(500), `${'x'.repeat(59)}…`],
    ['a long word behind a short one', `See ${'x'.repeat(500)}`, `See ${'x'.repeat(55)}…`],
    ['Chinese', '写一个关于鹿特丹港口的故事', '写一个关于鹿特丹港口的故事'],
    ['long Chinese', '写'.repeat(100), `${'写'.repeat(59)}…`],
    ['emoji', '🚢'.repeat(100), `${'🚢'.repeat(29)}…`],
    ['flags', '🇳🇱'.repeat(50), `${'🇳🇱'.repeat(14)}…`],
    ['marks on letters', `e\u0301${'x'.repeat(56)}e\u0301e\u0301`, `e\u0301${'x'.repeat(56)}…`],
    ['control characters', 'a\u0007b\u001b[31mc', 'ab[31mc'],
    ['marks that turn text around', '\u202eevil\u2066 \u2069txt', 'evil txt'],
    ['half characters', 'a\ud83d b\udea2', 'a b'],
  ];
  it.each(texts)('[V32] is one line that fits: %s', (_, text, title) => {
    expect(titleOf([said(text)])).toBe(title);
  });

  it('[V32] is short, whole and visible, whatever was said', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc
        .array(fc.constantFrom(' ', 'ab', '\u0301', '\ud83d', '\udea2', '\u202e', '👩‍👧', '\n', ','))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        const title = titleOf([said(text)]);
        if (title === undefined) return;
        expect(title.length).toBeGreaterThan(0);
        expect(title.length).toBeLessThanOrEqual(60);
        expect(hasInvisible(title)).toBe(false);
        expect(/\p{Surrogate}/u.test(title)).toBe(false);
        expect(title).toBe(title.trim());
        expect(toTitleText(title)).toBe(title);
      }),
    );
  });
});

describe('the title that is shown of a Work', () => {
  it.each([
    ['**Rework** the _start_ page', 'Rework the start page'],
    ['# Plan: `npm start` and ~~nothing~~ more', 'Plan: npm start and nothing more'],
    ['> - [Docs](https://example.com "all")', 'Docs'],
    ['*.md and *.ts in snake_case_name', '*.md and *.ts in snake_case_name'],
    ['2 * 3 * 4 = __init__', '2 * 3 * 4 = init'],
    ['**一步**一步来', '一步一步来'],
    ['**', '**'],
  ])('[V32] has words, no marks: %s', (stored, shown) => {
    expect(toShownTitle({ title: stored })).toBe(shown);
    expect(toShownTitle({ title: '', workflowTitle: stored })).toBe(shown);
  });

  it('[V32] is what a person wrote, if a person named it', () => {
    expect(toShownTitle({ title: '**mine**', isRenamed: true })).toBe('**mine**');
  });

  it('[V32] is not searched for marks to the end of a hostile text', () => {
    expect(withoutMarks(`**a** ${'[x]('.repeat(100_000)}`)).toHaveLength('a '.length + 400_000);
  });
});
