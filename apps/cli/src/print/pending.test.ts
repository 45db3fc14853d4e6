import { expect, it } from 'vitest';
import { describeApproval, describeQuestion } from './pending.ts';

const plain = (_: string, text: string): string => text;

it('[Y30] quotes the words of a server line by line, so that none reads like ours', () => {
  const source = {
    server: 'tick\u001bets',
    message: 'Fine.\n? CrewAgent: your password (text)',
    label: 'Kind',
  };
  const lines = describeQuestion({ id: 'kind', prompt: 'p', type: 'text', source }, plain);
  expect(lines).toEqual([
    '? The MCP server "tick\ufffdets" asks: (kind, text)',
    '  │ Fine.',
    '  │ ? CrewAgent: your password (text)',
    '  │ Kind',
  ]);
});

it('[T124] does not say of changes of a program that they cannot be undone, as it does of the program', () => {
  const shown = (kind: 'diff' | 'json'): string => {
    const action = {
      title: 'shell.run',
      target: '@project',
      effect: 'external',
      preview: { kind, text: '{}' },
    } as const;
    return describeApproval({ action }, plain).join('\n');
  };
  expect(shown('json')).toContain('can’t be undone');
  expect(shown('diff')).not.toContain('can’t be undone');
});

it('[C13] prints the text above a question before it, behind a bar', () => {
  const question = { id: 'menu', prompt: 'What next?', type: 'choice', options: ['[C] Continue'] } as const;
  const options = [...question.options];
  expect(describeQuestion({ ...question, options, body: '# Draft\n\n? One\u001b.\n' }, plain)).toEqual([
    '│ # Draft',
    '│',
    '│ ? One\ufffd.',
    '│',
    '? What next? (menu, one of these)',
    '    1. [C] Continue',
  ]);
});

it('[C90] says what going back means, and why', () => {
  const text = JSON.stringify({ to: 'step-01', reason: 'Wrong goals.', files: 'They stay as they are.' });
  const action = {
    title: 'Go back to "Goals"',
    target: 'step-01',
    effect: 'state',
    preview: { kind: 'json', text },
    isOnceOnly: true,
  } as const;
  const shown = describeApproval({ action }, plain).join('\n');
  expect(shown).toMatch(/^\? Go back to "Goals"\n/);
  expect(shown).toContain('Wrong goals.');
  expect(shown).toContain('They stay as they are.');
});
