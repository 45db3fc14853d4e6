import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TypedInput } from '@crewagent/protocol/typed-inputs';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/temp-folder.ts';
import { toVariables } from './given-variables.ts';

const LEVEL: TypedInput = {
  name: 'level',
  prompt: 'How deep?',
  type: 'choice',
  scope: 'person',
  choices: [
    { value: '1', label: 'Short' },
    { value: '2', label: 'Long' },
  ],
};

describe('variables that a person gives to a run', () => {
  it('text is an answer to its input, JSON, or itself', async () => {
    const texts = new Map([
      ['level', 'Long'],
      ['count', '3'],
      ['tags', '["a"]'],
      ['key', '1-2'],
    ]);
    expect(await toVariables({ texts }, [LEVEL])).toEqual({ level: '2', count: 3, tags: ['a'], key: '1-2' });
  });

  it('text stands over a file', async () => {
    const file = join(await tempFolder(), 'answers.yaml');
    await writeFile(file, 'level: "1"\nstory: { key: 1-2 }\n');
    const texts = new Map([['level', '2']]);
    expect(await toVariables({ file, texts }, [LEVEL])).toEqual({ level: '2', story: { key: '1-2' } });
  });

  it('a value that the input does not accept, a wrong name and a file without names are refused', async () => {
    const texts = (name: string, text: string) => toVariables({ texts: new Map([[name, text]]) }, [LEVEL]);
    await expect(texts('level', '7')).rejects.toThrow('"level" must be "1" or "2", not "7".');
    await expect(texts('a b', '7')).rejects.toThrow('"a b" is not the name of a variable.');
    const file = join(await tempFolder(), 'list.yaml');
    await writeFile(file, '- a\n');
    await expect(toVariables({ file }, [])).rejects.toThrow('it is not a map of keys and values');
    await expect(toVariables({ file: `${file}.gone` }, [])).rejects.toMatchObject({ name: 'CrewError' });
  });
});
