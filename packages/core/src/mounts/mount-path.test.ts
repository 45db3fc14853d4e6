import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMountPath, parseMountPath } from './mount-path.ts';

function shown(text: string): string {
  const parsed = parseMountPath(text);
  return parsed.ok ? formatMountPath(parsed.path) : 'refused';
}

describe('mount paths', () => {
  const cases: [rule: string, text: string, expected: string][] = [
    ['M1', '@project/docs/a.md', '@project/docs/a.md'],
    ['M1', '@project', '@project'],
    ['M1', '@pkg/steps/a.md', '@pkg/steps/a.md'],
    ['M1', '@state/workflow.md', '@state/workflow.md'],
    ['M1', 'artifacts/a.md', '@project/artifacts/a.md'],
    ['M1', 'workflow.md', '@state/workflow.md'],
    ['M1', './workflow.md', '@state/workflow.md'],
    ['M1', 'steps/a.md', '@pkg/steps/a.md'],
    ['M1', 'assets/a/b.md', '@pkg/assets/a/b.md'],
    ['M1', 'docs/workflow.md', '@project/docs/workflow.md'],
    ['M1', 'stepsister/a.md', '@project/stepsister/a.md'],
    ['M1', '.', '@project'],
    ['M1', '', '@project'],
    ['M1', '@project//a///b/', '@project/a/b'],
    ['M1', '@project/./a/../b', '@project/b'],
    ['M1', '@project/a b/ü 你.md', '@project/a b/ü 你.md'],
    ['M1', '@project/ a.md ', '@project/ a.md '],
    ['M1', '{project-root}/docs', '@project/docs'],
    ['M1', '{artifacts-root}/a.md', '@project/artifacts/a.md'],
    ['M1', '{package-root}', '@pkg'],
    ['M1', '{state-root}/x', '@state/x'],
    ['M1', 'artifacts/{storyKey}.md', '@project/artifacts/{storyKey}.md'],
    ['M1', '{home-root}/x', 'refused'],
    ['M1', '{project-root}evil', 'refused'],
    ['M3', '@home/a', 'refused'],
    ['M3', '@projectx/a', 'refused'],
    ['M3', '@Project/a', 'refused'],
    ['M3', '/etc/passwd', 'refused'],
    ['M3', '~/.ssh/id_rsa', 'refused'],
    ['M3', 'C:/windows', 'refused'],
    ['M3', 'c:file', 'refused'],
    ['M3', '..', 'refused'],
    ['M3', '../x', 'refused'],
    ['M3', '@project/..', 'refused'],
    ['M3', '@project/a/../../x', 'refused'],
    ['M3', '@project/../@state/workflow.md', 'refused'],
    ['M3', 'a\\b', 'refused'],
    ['M3', '@project\\..\\x', 'refused'],
    ['M3', '@project/a\0b', 'refused'],
    ['M3', '@project/a\nb', 'refused'],
    ['M3', '@project/a\u202eb', 'refused'],
    ['M3', '@project/a\u200bb', 'refused'],
    ['M3', 'file:///etc/passwd', 'refused'],
    ['M3', `@project/${'a'.repeat(5_000)}`, 'refused'],
  ];
  for (const [rule, text, expected] of cases) {
    it(`[${rule}] ${JSON.stringify(text.slice(0, 40))} → ${expected}`, () => {
      expect(shown(text)).toBe(expected);
    });
  }

  it.each([
    ['docs/~a', '@project/docs/~a'],
    ['a~', '@project/a~'],
    ['./steps/a.md', '@pkg/steps/a.md'],
    ['.//./steps/a.md', '@pkg/steps/a.md'],
    ['././/workflow.md', '@state/workflow.md'],
    ['docs/steps/a.md', '@project/docs/steps/a.md'],
    ['my-assets/a.md', '@project/my-assets/a.md'],
    ['docs/{project-root}/a.md', '@project/docs/{project-root}/a.md'],
    ['docs/{other-root}', '@project/docs/{other-root}'],
    ['{project-root}', '@project'],
    ['{artifacts-root}', '@project/artifacts'],
    ['{artifacts-root}x', 'refused'],
    ['{other-root}/a', 'refused'],
    ['{root}/a', 'refused'],
    ['{a}/b', '@project/{a}/b'],
  ])('[M1] %j → %s', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.runIf(process.platform !== 'win32')('[M3] accepts a colon within a name if the file system does', () => {
    expect(shown('docs/a:b')).toBe('@project/docs/a:b');
  });

  it('[M3] accepts up to 4,096 characters', () => {
    expect(shown(`@project/${'a/'.repeat(2_043)}a`)).toMatch(/^@project/);
    expect(`@project/${'a/'.repeat(2_043)}a`).toHaveLength(4_096);
    expect(shown(`@project/${'a/'.repeat(2_043)}ab`)).toBe('refused');
  });

  it('[M3] shows only the beginning of a long path in an error', () => {
    for (const text of [`/${'a'.repeat(4_000)}`, `@${'b'.repeat(4_000)}`, `@project/${'c'.repeat(5_000)}`]) {
      const parsed = parseMountPath(text);
      expect(parsed.ok ? '' : parsed.reason).toMatch(/^The path ".{120}" .{1,160}$/);
    }
  });

  it('[M1] uses a custom artifacts folder', () => {
    const parsed = parseMountPath('{artifacts-root}/a.md', 'out/files');
    expect(parsed.ok && formatMountPath(parsed.path)).toBe('@project/out/files/a.md');
  });

  it('[M3] rejects a path with one sentence that says what to use instead', () => {
    const parsed = parseMountPath('/etc/passwd');
    expect(parsed).toEqual({
      ok: false,
      reason: 'The path "/etc/passwd" is absolute; use a path that begins with @project/, @pkg/ or @state/.',
    });
  });

  it('[M3] parses any accepted path to one inside its mount, stable when parsed again', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom('/', '..', '.', '@project', '@state', '{project-root}', 'a', '\\', ':', '~', ' '),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const parsed = parseMountPath(pieces.join(''));
        if (!parsed.ok) return;
        for (const segment of parsed.path.segments) {
          expect(['', '.', '..']).not.toContain(segment);
          expect(segment).not.toMatch(/[/\\\0]/);
        }
        expect(parseMountPath(formatMountPath(parsed.path))).toEqual(parsed);
      }),
    );
  });
});
