import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDiffs } from './to-diffs.ts';

const file = fc.array(fc.constantFrom('a', 'b', '', '--- x', '+++ y', '@@ -1 +1 @@', '\\ no'), {
  maxLength: 12,
});

describe('diffs in an editor', () => {
  it('have the lines of both sides, where they are', () => {
    const text = '--- @project/a.md\n+++ @project/a.md\n@@ -4,3 +4,3 @@\n one\n-two\n+2\n three\n';
    expect(toDiffs(text)).toEqual([
      { path: '@project/a.md', oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\n', line: 4 },
    ]);
    const added = '--- /dev/null\n+++ @project/b.md\n@@ -0,0 +1,1 @@\n+new\n\\ No newline at end of file\n';
    expect(toDiffs(added)).toEqual([{ path: '@project/b.md', oldText: null, newText: 'new', line: 1 }]);
  });

  it('[O16] are shown as text if an editor would not show every character', () => {
    const hidden = '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-one\n+o\u202ene\n';
    expect(toDiffs(hidden)).toBeUndefined();
    expect(toDiffs('a.bin: 4 bytes → 5 bytes\n00000000  00')).toBeUndefined();
  });

  it('are parts of the two files, for any files; any other text is left alone', () => {
    fc.assert(
      fc.property(file, file, fc.boolean(), (before, after, isEnded) => {
        const [old, next] = [before, after].map((lines) => lines.join('\n') + (isEnded ? '\n' : ''));
        const parts = toDiffs(createTwoFilesPatch('@project/a', '@project/a', old ?? '', next ?? '')) ?? [];
        for (const { oldText, newText, path } of parts) {
          expect(path).toBe('@project/a');
          expect(old).toContain(oldText ?? '');
          expect(next).toContain(newText);
        }
        expect(parts.length > 0).toBe(old !== next);
      }),
    );
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void toDiffs(text)));
  });
});
