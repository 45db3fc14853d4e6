import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTextCalls } from './text-calls.ts';

const TOOLS = new Set(['fs_read', 'fs_write', 'runtime_complete_node', 'functions.fs_read', 'fs.read']);
const read = (text: string) => parseTextCalls(text, (name) => TOOLS.has(name));
const READ = { name: 'fs_read', arguments: '{"path":"a.md"}' };
const JSON_CALL = '{"name": "fs_read", "arguments": {"path": "a.md"}}';

/** How models write a call as text. */
const FORMS: readonly (readonly [string, string])[] = [
  ['fenced JSON', `\`\`\`json\n${JSON_CALL}\n\`\`\``],
  ['a fence without a language', `\`\`\`\n${JSON_CALL}\n\`\`\``],
  ['a fence named after the tag', `\`\`\`tool_call\n${JSON_CALL}\n\`\`\``],
  ['<tool_call>', `<tool_call>\n${JSON_CALL}\n</tool_call>`],
  ['<tool_call> without its end', `<tool_call>${JSON_CALL}`],
  ['[TOOL_CALLS] with a list', `[TOOL_CALLS][${JSON_CALL}]`],
  ['[TOOL_CALLS] with a name', '[TOOL_CALLS]fs_read{"path":"a.md"}'],
  ['[TOOL_CALLS] with [ARGS]', '[TOOL_CALLS]fs_read[ARGS]{"path":"a.md"}'],
  ['<function=…> with JSON', '<function=fs_read>{"path":"a.md"}</function>'],
  ['<function=…> with parameters', '<function=fs_read>\n<parameter=path>\na.md\n</parameter>\n</function>'],
  [
    'both tags',
    '<tool_call>\n<function=fs_read>\n<parameter=path>\na.md\n</parameter>\n</function>\n</tool_call>',
  ],
  ['bare JSON', JSON_CALL],
  ['a list of calls', `[${JSON_CALL}]`],
  ['parameters', '{"name":"fs_read","parameters":{"path":"a.md"}}'],
  [
    'the form of the API',
    '{"type":"function","function":{"name":"fs_read","arguments":"{\\"path\\":\\"a.md\\"}"}}',
  ],
  ['a list named tool_calls', `{"tool_calls":[${JSON_CALL}]}`],
  ['a function call', 'fs_read({"path":"a.md"})'],
  ['a python tag', `<|python_tag|>${JSON_CALL}`],
];

describe('calls written as text', () => {
  it.each(FORMS)('[L154] are read: %s', (_, text) => {
    expect(read(text)).toEqual({ content: '', calls: [READ] });
    expect(read(`\n  ${text}\n\n`)).toMatchObject({ calls: [READ] });
  });

  it.each(FORMS)('[L154] are read with a sentence before or after: %s', (_, text) => {
    expect(read(`I will read the file now.\n\n${text}`)).toEqual({
      content: 'I will read the file now.',
      calls: [READ],
    });
    if (!/^<tool_call>\{|python|TOOL_CALLS/.test(text))
      expect(read(`${text}\nReading the file.`)).toEqual({ content: 'Reading the file.', calls: [READ] });
  });

  it('[L154] keep their prefix and their order', () => {
    expect(read('functions.fs_read({"path":"a.md"})')?.calls).toEqual([
      { ...READ, name: 'functions.fs_read' },
    ]);
    const text = `<tool_call>${JSON_CALL}</tool_call>\n<tool_call>{"name":"fs_write","arguments":{"path":"b.md","content":"x"}}</tool_call>`;
    expect(read(text)?.calls.map(({ name }) => name)).toEqual(['fs_read', 'fs_write']);
  });

  it('[L154] may have line breaks in strings and a comma too many', () => {
    const text = '{"name":"fs_write","arguments":{"path":"a.md","content":"one\n\ttwo",},}';
    const [call] = read(text)?.calls ?? [];
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ path: 'a.md', content: 'one\n\ttwo' });
  });

  it.each<[string, string]>([
    ['an unknown tool', '{"name":"web_search","arguments":{"query":"x"}}'],
    ['one of two tools unknown', `[${JSON_CALL},{"name":"web_search","arguments":{}}]`],
    ['a question', `Should I read it?\n${JSON_CALL}`],
    ['an example', `This is an example:\n\`\`\`json\n${JSON_CALL}\n\`\`\``],
    ['a warning', `Do not call this.\n${JSON_CALL}`],
    ['a quotation', `> ${JSON_CALL}`],
    ['a list in a text', `- ${JSON_CALL}`],
    ['a text before and after', `I read it.\n${JSON_CALL}\nThen I stop.`],
    ['a document', `# Report\n\nThe model wrote this.\n\n\`\`\`json\n${JSON_CALL}\n\`\`\`\n`],
    ['other keys', '{"name":"fs_read","arguments":{"path":"a.md"},"version":"1.0"}'],
    ['no arguments', '{"name":"fs_read"}'],
    ['a repeated key', '{"name":"fs_read","name":"fs_write","arguments":{}}'],
    ['an incomplete call', '{"name":"fs_read","arguments":{"path":"a'],
    ['another language', '```js\nfs_read({path})\n```'],
    ['prose', 'The workflow is complete!'],
  ])('[L154] are not read from %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('[L154] are never read from a text of two paragraphs or more', () => {
    const paragraph = fc.stringMatching(/^[A-Z][a-z ,]{20,80}\.$/);
    fc.assert(
      fc.property(
        fc.array(paragraph, { minLength: 2, maxLength: 5 }),
        fc.constantFrom(...FORMS),
        fc.nat(5),
        (paragraphs, [, form], at) => {
          const parts = [...paragraphs.slice(0, at), form, ...paragraphs.slice(at)];
          expect(read(parts.join('\n\n'))).toBeUndefined();
        },
      ),
    );
  });

  it('[L154] cause no exception, whatever the text is', () => {
    const piece = fc.constantFrom(
      ...[
        '```',
        '<tool_call>',
        '</tool_call>',
        '[TOOL_CALLS]',
        '<function=fs_read>',
        '</function>',
        '{',
        '}',
      ],
      ...['<parameter=a>', '</parameter>', '"', '[', ']', ':', ',', '\\', '\n', 'fs_read(', JSON_CALL, ' x '],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const found = read(pieces.join(''));
        for (const { name } of found?.calls ?? []) expect(TOOLS.has(name)).toBe(true);
      }),
    );
  });

  it.each([
    '<tool_call>',
    '```',
    '{',
    '[',
    '{"name":"fs_read","arguments":{',
    '<function=fs_read>',
    '<function=fs_read><parameter=a>',
    '<function=fs_read>{}',
    '\\"',
    '"\\\\',
    ' ',
    '\n',
    'fs_read(',
    'aaaa',
    `${JSON_CALL}\n`,
    '[TOOL_CALLS]',
  ])('[L154] take time in proportion to the text: %s', (piece) => {
    const cpuMicros = (length: number): number => {
      const text = piece.repeat(length / piece.length);
      const before = process.cpuUsage();
      read(text);
      return process.cpuUsage(before).user;
    };
    cpuMicros(400_000);
    const tenth = Math.max(5_000, cpuMicros(400_000));
    // A quadratic reader needs a hundred times as much, and minutes.
    expect(cpuMicros(4_000_000) / tenth).toBeLessThan(50);
  });
});
