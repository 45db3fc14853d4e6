import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../languages.ts';
import { story as en } from '../texts/en/story.ts';
import { story as zhCn } from '../texts/zh-CN/story.ts';
import { describeItem } from './describe-item.ts';
import type { StoryItem } from './items.ts';
import { type StoryKey, translate } from './translate.ts';

const ENTRY = { seq: 1, ts: '2026-01-01T00:00:00.000Z' };

function sentencesOf(item: object): string[] {
  const sentence = describeItem({ ...ENTRY, ...item } as StoryItem, (id) => id.toUpperCase());
  return sentence ? LANGUAGES.map((language) => translate(language, sentence.key, sentence.params)) : [];
}

describe('entries as sentences', () => {
  it('[C13] names nodes by their titles, files by their path in the project, and counts', () => {
    const move = { kind: 'move', from: 'a', to: 'b', variables: {}, unset: [], notes: [] };
    const undone = { kind: 'undone', direction: 'undo', selection: { all: true } };
    const files = ['a.md', 'b.md'].map((name) => ({ path: `@project/${name}`, outcome: 'restored' }));
    expect(
      [
        move,
        { ...move, label: 'yes' },
        { ...move, isRewind: true },
        { ...move, from: 'b', isRewind: true },
        { kind: 'mark', what: 'artifact', name: '@project/docs/x.md' },
        { ...undone, files },
        { ...undone, files: files.slice(1) },
        { ...undone, files: [{ path: '@project/a.md', outcome: 'conflict' }] },
        { kind: 'upgraded', version: '2.0.0', stale: [] },
        { kind: 'upgraded', version: '2.0.0', stale: ['docs/x.md', 'y.md'] },
      ].map(sentencesOf),
    ).toEqual([
      ['A → B', '从“A”到“B”'],
      ['A → B (yes)', '从“A”到“B”（yes）'],
      ['Went back from “A” to “B”', '从“A”回到了“B”'],
      ['Restarted “B”', '重新开始了“B”'],
      ['Wrote docs/x.md', '写入了 docs/x.md'],
      ['Undid changes to 2 files', '撤销了 2 个文件的改动'],
      ['Undid changes to 1 file', '撤销了 1 个文件的改动'],
      ['No files changed', '未作改动'],
      ['Moved to version 2.0.0 of the package', '已切换到工作包 2.0.0 版本'],
      [
        'Moved to version 2.0.0 of the package; written by steps that changed: docs/x.md, y.md',
        '已切换到工作包 2.0.0 版本；以下文件由已更改的步骤生成，请检查：docs/x.md, y.md',
      ],
    ]);
  });

  it('does not read a text of the log as a text of ours', () => {
    expect(sentencesOf({ kind: 'mark', what: 'artifact', name: '{{path}} $& event.run' })[0]).toBe(
      'Wrote {{path}} $& event.run',
    );
  });

  it('has no sentence for entries with a form of their own', () => {
    expect(sentencesOf({ kind: 'reply', text: 'x', turn: 1 })).toEqual([]);
    expect(sentencesOf({ kind: 'phase', phase: 'Running' })).toEqual([]);
    expect(sentencesOf({ kind: 'notice', code: 'info.model', details: { model: 7 } })).toEqual([]);
  });

  it('has the same parameters in every language', () => {
    const parametersOf = (texts: object): [string, string[]][] =>
      Object.entries(texts).flatMap(([key, text]: [string, unknown]) =>
        typeof text === 'string'
          ? [[key, (text.match(/\{\{\w+\}\}/g) ?? []).sort()] as [string, string[]]]
          : parametersOf(text as object),
      );
    expect(parametersOf(zhCn)).toEqual(parametersOf(en).filter(([key]) => !key.endsWith('_one')));
    expect(translate('zh-CN', 'event.undo', { count: 1 })).toBe('撤销了 1 个文件的改动');
    expect(translate('en', 'event.undo' satisfies StoryKey, { count: 0 })).toBe('Undid changes to 0 files');
  });
});
