import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArguments, parseFile, parseLink } from './open-requests.ts';

const ID = '01a1e32d-df82-733c-9af4-13f4a0caaf0e';

describe('a link', () => {
  it.each([
    [`crewagent://p/${ID}/w/${ID}`, `/p/${ID}/w/${ID}`],
    [`crewagent://p/${ID}`, `/p/${ID}`],
    ['crewagent://settings/models', '/settings/models'],
    ['CREWAGENT://start/', '/start'],
    [`crewagent://packages/${'a'.repeat(64)}`, `/packages/${'a'.repeat(64)}`],
  ])('[G20] %s opens %s', (link, path) => {
    expect(parseLink(link)).toEqual({ kind: 'view', path });
  });

  it.each([
    'crewagent://',
    'crewagent:start',
    'crewagent://p/../../etc',
    'crewagent://api/v1/works',
    'crewagent://start?x=1',
    'crewagent://start#token=abc',
    'crewagent://evil.example/start',
    'crewagent://p/1/w/2',
    'https://start',
    'crewagent://start\n',
  ])('[G20] rejects %j', (link) => {
    expect(parseLink(link)).toBeUndefined();
  });

  it('[G20] never leads outside the page, for any link', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const request = parseLink(`crewagent://${text}`);
        if (request?.kind !== 'view') return;
        const { origin, pathname } = new URL(request.path, 'http://127.0.0.1:1');
        expect([origin, pathname]).toEqual(['http://127.0.0.1:1', request.path]);
      }),
    );
  });
});

describe('command-line arguments', () => {
  it('[G20] accept links and package files, and ignore switches and other files', () => {
    const requests = parseArguments(
      ['--no-sandbox', '-psn_0_1', 'a.bmad', 'notes.md', `crewagent://p/${ID}`, 'crewagent://evil', '.'],
      (path) => resolve('/home/ada', path),
    );
    expect(requests).toEqual([
      { kind: 'package', file: resolve('/home/ada/a.bmad') },
      { kind: 'view', path: `/p/${ID}` },
    ]);
    expect(parseFile('/a/B.BMAD')).toEqual({ kind: 'package', file: '/a/B.BMAD' });
    expect(parseFile('/a/b.bmad\0.txt')).toBeUndefined();
  });
});
