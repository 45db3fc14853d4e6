import { expect, it } from 'vitest';
import { toElicitResult, toQuestions } from './elicitation.ts';

const FORM = {
  message: 'Which ticket?',
  requestedSchema: {
    type: 'object' as const,
    properties: {
      kind: { type: 'string' as const, title: 'Kind', default: 'bug' },
      count: { type: 'integer' as const },
    },
  },
};

it('[Y30] shows the default of a field; a skipped field is left to it', () => {
  expect(toQuestions('tickets', FORM)).toMatchObject([
    { prompt: 'The MCP server "tickets" asks: Which ticket?\nKind\n(default: "bug")' },
    { prompt: 'The MCP server "tickets" asks: Which ticket?\ncount' },
  ]);
  expect(toElicitResult(FORM, { kind: null, count: '2' })).toEqual({
    action: 'accept',
    content: { count: 2 },
  });
});
