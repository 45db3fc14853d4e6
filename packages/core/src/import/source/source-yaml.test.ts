import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createImportNotes } from './import-notes.ts';
import { parseSourceDocument, parseSourceYaml, toFrontmatterBlock } from './source-yaml.ts';

describe('YAML of a source', () => {
  const cases: [what: string, yaml: string, fields: unknown, line: number][] = [
    ['an escaped quote in single quotes', "a: 1\nb: 'it\\'s'\n", { a: 1, b: "it's" }, 2],
    ['a key written twice', 'a: 1\nb: 2\na: 3\n', { a: 1, b: 2 }, 3],
    ['a colon in an unquoted value', 'title: Soil: first\n', { title: 'Soil: first' }, 1],
  ];
  it.each(cases)('[Z2] %s is repaired, and the repair reported', (_, yaml, fields, line) => {
    const notes = createImportNotes();
    expect(parseSourceYaml(yaml, 'a.yaml', notes)?.fields).toEqual(fields);
    expect(notes.repairs).toMatchObject([{ file: 'a.yaml', line }]);
  });

  it('[Z2] the line of a repair counts from the top of the file', () => {
    const notes = createImportNotes();
    parseSourceDocument("---\nb: 'it\\'s'\n---\nBody\n", 'a.md', notes);
    expect(notes.repairs).toMatchObject([{ line: 2 }]);
  });

  const bombs: [what: string, yaml: string][] = [
    [
      'aliases that multiply',
      `a: &a [x, x]\n${'bcdefghij'
        .split('')
        .map((key, at) => `${key}: &${key} [${`*${'abcdefghi'[at]}, `.repeat(9)}]`)
        .join('\n')}\n`,
    ],
    ['deep nesting', `a: ${'['.repeat(5_000)}${']'.repeat(5_000)}\n`],
    ['a tag', 'a: !!js/function x\n'],
    ['a reserved key', 'a: 1\n__proto__: 1\n'],
    ['a nested reserved key', 'a: {b: [{__proto__: 1}]}\n'],
    ['a huge text', `a: ${'x'.repeat(200_000)}\n`],
  ];
  it.each(bombs)('[Z2] %s is dropped with a note, at no cost', (_, yaml) => {
    const notes = createImportNotes();
    expect(parseSourceYaml(yaml, 'a.yaml', notes)).toBeUndefined();
    expect(notes.constructs).toMatchObject([{ construct: 'yaml', certainty: 'dropped', file: 'a.yaml' }]);
    // The body is still imported.
    expect(parseSourceDocument(`---\n${yaml}---\nBody\n`, 'a.md', notes)).toMatchObject({
      fields: {},
      body: 'Body\n',
    });
  });

  it('[Z2] no text throws, and no body changes', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (yaml, body) => {
        const text = `---\n${yaml.replaceAll('---', '')}\n---\n${body}`;
        expect(text.endsWith(parseSourceDocument(text, 'a.md', createImportNotes()).body)).toBe(true);
      }),
    );
  });

  it('new keys are set on top of existing YAML, comments included', () => {
    const block = toFrontmatterBlock('# Mine\na: 1 # one\nb: 2\n', {
      b: undefined,
      c: ['x'],
      schemaVersion: '1.1',
    });
    expect(block).toBe('---\n# Mine\na: 1 # one\nc:\n  - x\nschemaVersion: "1.1"\n---\n');
  });
});
