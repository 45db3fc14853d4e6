import { ApiError } from '@crewagent/protocol/api/client';
import { describe, expect, it } from 'vitest';
import { toFaultWords } from './fault-words.ts';

describe('the words of a fault', () => {
  it.each([
    'Failed to fetch',
    'Load failed',
    'NetworkError when attempting to fetch resource.',
    'network error',
    'The connection has ended.',
  ])('[U128] say that the program cannot be reached: %s', (message) => {
    expect(toFaultWords(new TypeError(message))).toMatch(/^CrewAgent is not running/);
  });

  it('[U128] are the server’s own where it said something, and a mistake of the page is none of the connection', () => {
    expect(toFaultWords(new ApiError(409, { code: 'BUSY', message: 'It is busy.' }))).toBe('It is busy.');
    expect(toFaultWords(new TypeError('x is undefined'))).toBe('x is undefined');
    expect(toFaultWords('A word.')).toBe('A word.');
  });
});
