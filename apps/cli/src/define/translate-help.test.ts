import { describe, expect, it } from 'vitest';
import { cellsOf } from '../print/text/cells.ts';
import { createCliRig } from '../testing/cli-rig.ts';

/** Of a command and all below it. */
async function allHelp(
  help: (...command: string[]) => Promise<string>,
  path: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  const text = await help(...path);
  const found = new Map([[path.join(' '), text]]);
  const names = path.length < 2 && /^用法：.*\[command\]/.test(text) ? [...text.matchAll(COMMANDS)] : [];
  for (const [, name = ''] of names)
    if (name !== 'help') for (const entry of await allHelp(help, [...path, name])) found.set(...entry);
  return found;
}

const COMMANDS = /^ {2}([a-z][a-z-]+)(?: [<[].*?)? {2,}/gm;
/** Four words of a sentence; names, options and paths are English in every language. */
const ENGLISH = /(?:^|[^\w./<-])[A-Za-z]{2,}(?: [A-Za-z]{2,}){3,}/;

describe('help on a Chinese terminal', () => {
  it('[C1] is Chinese in every command, and no wider than a terminal', async () => {
    const rig = await createCliRig({ LC_ALL: 'zh_CN.UTF-8' });
    const help = await allHelp(async (...command) => {
      const { code, out } = await rig.run(...command, '--help');
      expect([command, code]).toEqual([command, 0]);
      return out;
    });
    expect(help.size).toBeGreaterThan(50);
    const lines = [...help].flatMap(([command, text]) =>
      text.split('\n').map((line) => [command, line] as const),
    );
    const texts = lines.filter(([, line]) => !line.startsWith('  $ '));
    expect(texts.filter(([, line]) => ENGLISH.test(line))).toEqual([]);
    expect(texts.filter(([, line]) => cellsOf(line) > 80)).toEqual([]);
    expect(texts.filter(([, line]) => /^\s*[，。；：、）]/.test(line))).toEqual([]);
  });
});
