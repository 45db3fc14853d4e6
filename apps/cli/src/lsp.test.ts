import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createCliRig } from './testing/cli-rig.ts';
import { ENTRY } from './testing/running-command.ts';

function frames(...messages: readonly object[]): string {
  return messages
    .map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }))
    .map((body) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    .join('');
}

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { processId: null, rootUri: null, capabilities: {} },
};

describe('crewagent in an editor', () => {
  it('"lsp" speaks the protocol over standard input and output and ends with its client', async () => {
    const rig = await createCliRig();
    const start = async (input: string, isLeftOpen: boolean) => {
      const child = spawn(process.execPath, [ENTRY, 'lsp', '--stdio'], { env: rig.env });
      child.stdin.write(input);
      if (!isLeftOpen) child.stdin.end();
      const ended = once(child, 'exit');
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { out, err, code: (await ended)[0] as number };
    };
    const orderly = await start(frames(INITIALIZE, { id: 2, method: 'shutdown' }, { method: 'exit' }), true);
    expect(orderly.out).toMatch(/^Content-Length: \d+\r\n\r\n.*"definitionProvider":true.*"id":2/s);
    expect([orderly.code, orderly.err]).toEqual([0, '']);
    expect((await start(frames(INITIALIZE), false)).code).toBe(1);
  });

  it('"new" writes schemas that its files name and that packages do not contain; "schemas" renews them', async () => {
    const rig = await createCliRig();
    const folder = join(rig.folder, 'fresh');
    expect((await rig.run('new', folder)).code).toBe(0);
    for (const name of ['bmad.json', 'agents.json', 'workflow.graph.json']) {
      const { $schema } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { $schema: string };
      expect(JSON.parse(readFileSync(join(folder, $schema), 'utf8'))).toHaveProperty('properties');
    }
    const packed = JSON.parse((await rig.run('pack', folder, '--json')).out) as { files: number };
    const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && !entry.parentPath.endsWith('.crewagent-schemas'),
    );
    expect(packed.files).toBe(names.length);
    expect((await rig.run('schemas', folder)).out).toContain('bmad.schema.json');
    const nowhere = await rig.run('schemas', join(rig.folder, 'nowhere'));
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('no bmad.json')]);
  });
});
