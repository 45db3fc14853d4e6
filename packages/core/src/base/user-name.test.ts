import { expect, it } from 'vitest';
import { toPersonName } from './user-name.ts';

it('an account that names a role is no name of a person', () => {
  expect(['root', 'User', ' ADMIN ', 'Administrator'].map(toPersonName)).toEqual(['', '', '', '']);
  expect(toPersonName('ann')).toBe('ann');
});
