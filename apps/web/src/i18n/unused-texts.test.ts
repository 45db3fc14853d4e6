import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileUse } from '@crewagent/protocol/texts/en/file-use';
import { expect, it } from 'vitest';
import { author } from './texts/en/author.ts';
import { bundles } from './texts/en/bundles.ts';
import { context } from './texts/en/context.ts';
import { en } from './texts/en/en.ts';
import { fields } from './texts/en/fields.ts';
import { forks } from './texts/en/forks.ts';
import { machine } from './texts/en/machine.ts';
import { models } from './texts/en/models.ts';
import { overview } from './texts/en/overview.ts';
import { packages } from './texts/en/packages.ts';
import { replay } from './texts/en/replay.ts';
import { settings } from './texts/en/settings.ts';
import { team } from './texts/en/team.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
/** The page, and the table of what items and problems say. */
const SOURCES = [join(HERE, '..'), join(HERE, '../../../../packages/protocol/src/story')];

it('uses every text somewhere', () => {
  const source = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.|i18n[\\/]texts/.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  ).join('\n');
  const isSaid = (key: string): boolean => {
    const name = key.replace(/_(?:zero|one|other)$/, '');
    const parts = name.split('.');
    const prefixes = parts.slice(1).map((_, index) => `\`${parts.slice(0, index + 1).join('.')}.$\{`);
    return [`'${name}'`, ...prefixes].some((needle) => source.includes(needle));
  };
  expect(
    keysOf({
      ...en,
      ...author,
      ...context,
      ...fileUse,
      ...bundles,
      ...fields,
      ...forks,
      ...models,
      ...overview,
      ...packages,
      ...replay,
      ...machine,
      ...settings,
      ...team,
    }).filter((key) => !isSaid(key)),
  ).toEqual([]);
});

function keysOf(texts: object, before = ''): string[] {
  return Object.entries(texts).flatMap(([key, text]: [string, unknown]) =>
    typeof text === 'object' && text !== null ? keysOf(text, `${before}${key}.`) : [`${before}${key}`],
  );
}
