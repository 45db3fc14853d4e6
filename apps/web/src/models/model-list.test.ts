import { expect, it } from 'vitest';
import { filterModels } from './model-list.tsx';

const models = Array.from({ length: 300 }, (_, index) => ({ id: `lab/model-${index}` }));

it('finds models by any words of their names, those that begin with them first, and counts what is left out', () => {
  expect(filterModels(models, '')).toMatchObject({ more: 200 });
  expect(filterModels(models, 'LAB 299').shown).toEqual([{ id: 'lab/model-299' }]);
  const found = filterModels([{ id: 'x-gpt' }, { id: 'gpt-5', name: 'Five' }, { id: 'other' }], 'gpt');
  expect(found.shown.map(({ id }) => id)).toEqual(['gpt-5', 'x-gpt']);
  expect(filterModels([{ id: 'gpt-5', name: 'Five' }], 'five').shown).toHaveLength(1);
  expect(filterModels(models, 'nothing')).toEqual({ shown: [], more: 0 });
});
