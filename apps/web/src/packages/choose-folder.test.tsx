import { expect, it } from 'vitest';
import { chooseFolder } from './read-folder.ts';

it.each(['cancel', 'change'])(
  'the field of a folder that is chosen is in the document until “%s”',
  (event) => {
    const fields = () => [...document.querySelectorAll<HTMLInputElement>('body > input[type=file]')];
    const before = fields().length;
    chooseFolder(() => undefined);
    const field = fields().at(-1);
    expect([fields().length, field?.webkitdirectory, field?.hidden]).toEqual([before + 1, true, true]);
    field?.dispatchEvent(new Event(event));
    expect(fields()).toHaveLength(before);
  },
);
