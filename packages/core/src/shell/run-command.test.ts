import { describe, expect, it } from 'vitest';
import { toCommandResult } from './run-command.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQr'.repeat(2)}`;
const LINE = 'QWxhZGRpbjpvcGVuIHNlc2FtZSBhbmQgc28gb24u';
const KEY = `-----BEGIN PRIVATE KEY-----\n${`${LINE}\n`.repeat(40)}-----END PRIVATE KEY-----`;

describe('the result of a command', () => {
  it('[T180] has no secrets, neither inline, nor where it is cut, nor in its file', async () => {
    const output = `${'x'.repeat(4_000)} ${TOKEN}\n${KEY}\n${'y '.repeat(9_000)}`;
    const stored: string[] = [];
    const result = await toCommandResult(
      { cause: 'exit', exitCode: 0, signal: null, output, lostBytes: 0 },
      {
        changes: { changed: [], more: 0, notes: [] },
        callId: 'c1',
        async spill(_, content) {
          stored.push(Buffer.from(content).toString());
          return '@state/commands/c1';
        },
      },
    );
    expect(stored).toHaveLength(1);
    for (const text of [JSON.stringify(result), ...stored]) {
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain(LINE);
      expect(text).toContain('[hidden: GitHub token');
    }
  });
});
