import { expect, it } from 'vitest';
import { wrapHelp } from './wrap-help.ts';

const HELP = `Usage: crewagent approve [options] <run>

A paragraph of the help that is longer than a narrow terminal, which goes
on in the next line of the source.

Options:
  --for <files>  with --node, --run or --always: which files it applies to
  -h, --help     show help

Examples:
  $ crewagent approve last --for folder --node --shown 0123456789abcdef
`;

it('[C4] wraps help below its columns, paragraphs as a whole, and no example', () => {
  expect(wrapHelp(HELP, 48)).toBe(`Usage: crewagent approve [options] <run>

A paragraph of the help that is longer than a
narrow terminal, which goes on in the next line
of the source.

Options:
  --for <files>  with --node, --run or --always:
                 which files it applies to
  -h, --help     show help

Examples:
  $ crewagent approve last --for folder --node --shown 0123456789abcdef
`);
});

it('[C4] puts a description below its name where a column would be too narrow', () => {
  expect(wrapHelp('  --for <files>  which files it applies to', 30)).toBe(
    '  --for <files>\n      which files it applies\n      to',
  );
  expect(wrapHelp('  --for <files>  选择适用于哪些文件，逐个', 30)).toBe(
    '  --for <files>\n      选择适用于哪些文件，逐个',
  );
});

it('[C4] leaves a text as it is where it fits, and where there is no terminal', () => {
  expect(wrapHelp(HELP, 120)).toBe(HELP);
  expect(wrapHelp(HELP, undefined)).toBe(HELP);
});
