import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWeb, MAX_FIRST_KB, measureWeb, webDist } from './build-web.mjs';

beforeAll(buildWeb, 300_000);

describe('the built page', () => {
  it('[U1] has a small initial load of few files; the screen of a Work, Markdown and graph are loaded lazily', () => {
    const { firstKb, firstFiles, laterKb } = measureWeb();
    expect(firstKb).toBeLessThan(MAX_FIRST_KB);
    expect(firstFiles.length).toBeLessThan(8);
    expect(Object.keys(laterKb)).toEqual(
      expect.arrayContaining(['live-work', 'formatted-markdown', 'progress-graph']),
    );
  });

  it('[U1] has no inline script or style, and references nothing external', () => {
    const html = readFileSync(join(webDist, 'index.html'), 'utf8');
    for (const [, attributes = '', content = ''] of html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)) {
      expect(attributes).toMatch(/ src="\/[^/]/);
      expect(content).toBe('');
    }
    expect(html).not.toMatch(/<style|style=|\son\w+=|(?:src|href)="(?!\/)/);
    const styles = readdirSync(join(webDist, 'assets')).filter((name) => name.endsWith('.css'));
    for (const name of styles) {
      expect(readFileSync(join(webDist, 'assets', name), 'utf8')).not.toMatch(
        /url\(["']?(?:https?:)?\/\/|@import/,
      );
    }
  });

  it('[U1] is a production build, in any build environment', () => {
    const scripts = readdirSync(join(webDist, 'assets')).filter((name) => name.endsWith('.js'));
    // A development-only message of React.
    const forProgrammers = scripts.filter((name) =>
      readFileSync(join(webDist, 'assets', name), 'utf8').includes('should have a unique'),
    );
    expect(forProgrammers).toEqual([]);
  });

  it('[U1] has content-hashed file names', () => {
    expect(
      readdirSync(join(webDist, 'assets')).filter((name) => !/-[\w-]{8}\.\w+(?:\.br)?$/.test(name)),
    ).toEqual([]);
  });

  it('contains nothing of recorded logs', () => {
    const scripts = readdirSync(join(webDist, 'assets')).filter((name) => name.endsWith('.js'));
    for (const name of scripts) {
      expect(readFileSync(join(webDist, 'assets', name), 'utf8')).not.toMatch(/wasHacked/);
    }
  });
});
