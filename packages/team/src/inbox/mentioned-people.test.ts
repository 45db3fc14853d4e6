import { describe, expect, it } from 'vitest';
import { findMentioned } from './mentioned-people.ts';

const PEOPLE = [
  { personId: 'ada', name: 'Ada Lovelace', email: 'ada.l@example.com' },
  { personId: 'ada2', name: 'Ada Byron', email: 'byron@example.com' },
  { personId: 'bo', name: 'Bo', email: 'bo.x@example.com' },
  { personId: 'ming', name: '小明', email: 'ming@example.com' },
];

describe('people whom a message names', () => {
  it.each([
    ['@Ada Lovelace please look', ['ada']],
    ['@ada please look', []],
    ['hello @ADA.L, and @Byron', ['ada', 'ada2']],
    ['@bob and bob@bo.example and @boat', []],
    ['(@Bo)', ['bo']],
    ['＠小明请看一下', ['ming']],
    ['@project/notes.md', []],
    ['no one', []],
  ])('%s', (text, expected) => {
    expect(findMentioned(text, PEOPLE)).toEqual(expected);
  });
});
