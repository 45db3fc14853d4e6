import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasDesktop, toAppWindowArgs, toReveal } from './open-on-desktop.ts';

afterEach(() => vi.unstubAllEnvs());

describe('revealing a file', () => {
  it.each([
    ['darwin', false, '/usr/bin/open', ['-R', '/p/-a b;$(x).app']],
    ['darwin', true, '/usr/bin/open', ['-R', '/p/-a b;$(x).app']],
    ['linux', false, 'xdg-open', ['/p']],
    ['linux', true, 'xdg-open', ['/p/-a b;$(x).app']],
  ] as const)(
    'on %s (folder: %s) passes one argument and opens no file',
    (platform, isFolder, program, args) => {
      expect(toReveal({ path: '/p/-a b;$(x).app', isFolder }, platform)).toEqual({ program, args });
    },
  );

  it('on Windows is quoted as Explorer expects', () => {
    expect(toReveal({ path: 'C:\\a b, c\\d.txt', isFolder: false }, 'win32')).toEqual({
      program: 'explorer.exe',
      args: ['/select,"C:\\a b, c\\d.txt"'],
      isVerbatim: true,
    });
  });

  it.skipIf(process.platform === 'win32' || process.platform === 'darwin')('[H20] requires a screen', () => {
    for (const name of ['DISPLAY', 'WAYLAND_DISPLAY']) vi.stubEnv(name, '');
    expect(hasDesktop()).toBe(false);
    vi.stubEnv('WAYLAND_DISPLAY', 'wayland-0');
    expect(hasDesktop()).toBe(true);
  });
});

describe('an app window', () => {
  it('[G1] has no tabs, its own profile and no token in its arguments', () => {
    const args = toAppWindowArgs({ file: '/store/window/open page.html', profile: '/store/window/profile' });
    expect(args).toEqual(
      expect.arrayContaining([
        '--app=file:///store/window/open%20page.html',
        '--user-data-dir=/store/window/profile',
      ]),
    );
    expect(args.every((arg) => arg.startsWith('--'))).toBe(true);
  });
});
