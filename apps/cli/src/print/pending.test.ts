import { expect, it } from 'vitest';
import { describeQuestion } from './pending.ts';

const plain = (_: string, text: string): string => text;

it('[Y60] quotes the words of a server line by line, so that none reads like ours', () => {
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
