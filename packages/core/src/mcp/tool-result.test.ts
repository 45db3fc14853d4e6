import { describe, expect, it } from 'vitest';
import { toToolResult } from './tool-result.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQr'.repeat(2)}`;
const CUT_KEY = `-----BEGIN PRIVATE KEY-----\n${'QWxhZGRpbjpvcGVuIHNlc2FtZSBhbmQgc28gb24u\n'.repeat(3)}\\"`;

describe('the result of a server', () => {
  it('[T180] has no secrets, neither inline, nor structured, nor in its file', async () => {
    const stored: string[] = [];
    const options = {
      callId: 'c1',
      hide: (text: string) => text,
      async spill(_: string, content: Uint8Array) {
        stored.push(Buffer.from(content).toString());
        return '@state/mcp/c1';
      },
    };
    const long = `${'x '.repeat(20_000)}${TOKEN}`;
    const results = [
      await toToolResult({ content: [{ type: 'text', text: `is ${TOKEN}` }] }, options),
      await toToolResult({ content: [{ type: 'text', text: long }] }, options),
      await toToolResult({ content: [], structuredContent: { a: [TOKEN], key: CUT_KEY, b: 'c' } }, options),
      await toToolResult({ content: [{ type: 'text', text: TOKEN }], isError: true }, options),
    ];
    expect(stored).toHaveLength(1);
    expect(JSON.stringify([results, stored])).not.toContain(TOKEN);
    expect(JSON.stringify(results)).not.toContain('QWxh');
    expect(results[2]).toMatchObject({ structured: { b: 'c' } });
  });
});
