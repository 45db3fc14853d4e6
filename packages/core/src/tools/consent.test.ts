import { toFileAction } from '@crewagent/protocol/described-actions';
import { describeChanges } from '@crewagent/protocol/story/describe-action';
import { systemToolPolicySchema } from '@crewagent/protocol/tools';
import { describe, expect, it } from 'vitest';
import { checkConsent, toExternalAction } from './consent.ts';
import { mergePolicy } from './tool-policy.ts';
import type { ToolDescription } from './tool-source.ts';

const policyOf = (approval: 'read-only' | 'ask' | 'autopilot') =>
  mergePolicy(systemToolPolicySchema.parse({ approval }), undefined);

const externalTool = (more: Partial<ToolDescription> = {}): ToolDescription => ({
  name: 'mcp.mail.send',
  family: 'mcp',
  server: 'mail',
  effect: 'external',
  isReadOnly: false,
  description: 'Sends a mail.',
  parameters: () => ({}),
  ...more,
});

type Request = Parameters<typeof checkConsent>[1];
type Options = Parameters<typeof checkConsent>[2];

const change: Request = {
  action: toFileAction('fs.write', '@project/a.md', '+A', 'written'),
  files: [
    {
      path: '@project/a.md',
      before: { kind: 'file', identity: '1:2', mode: 0o644, sha256: 'a' },
      after: { kind: 'file', mode: 0o644, sha256: 'b' },
    },
  ],
  effect: { kind: 'written', path: '@project/a.md' },
  isNoop: false,
};
const shown = { ...change.action, files: [...change.files] };
const message = (await toExternalAction(externalTool(), { to: 'Ann' })) as Request;

const check = (
  request: Request,
  options: Options = {},
  approval: 'read-only' | 'ask' | 'autopilot' = 'ask',
) => checkConsent('tool', request, options, policyOf(approval));

describe('the action of a call that acts outside the project', () => {
  it('is the tool and its server, with the arguments as preview', async () => {
    expect(await toExternalAction(externalTool(), { to: 'Ann' })).toEqual({
      action: {
        title: 'mcp.mail.send wants to run on mail',
        target: 'mail',
        effect: 'external',
        preview: { kind: 'json', text: '{"to":"Ann"}' },
      },
      files: [],
      effect: {},
      isNoop: false,
      mustAsk: false,
      isAllowed: false,
    });
    const { server: _, ...local } = externalTool({ name: 'clock.set' });
    expect((await toExternalAction(local, {}))?.action).toMatchObject({
      title: 'clock.set wants to run',
      target: 'clock.set',
    });
  });

  it('[Y1] is for what the tool says, and must be asked for where it says so', async () => {
    expect(
      await toExternalAction(externalTool({ consentTarget: 'mail send 1f', mustAsk: true }), {}),
    ).toMatchObject({
      action: { target: 'mail send 1f' },
      mustAsk: true,
    });
    const consent = {
      title: 'Run make',
      target: 'make',
      mustAsk: true,
      isOnceOnly: true,
      isAllowed: true,
    };
    expect(await toExternalAction(externalTool({ consentFor: () => consent }), {})).toMatchObject({
      action: { title: 'Run make', target: 'make', isOnceOnly: true },
      mustAsk: true,
      isAllowed: true,
    });
  });

  it('needs no consent if it only reads, or changes the project, which has a preview of its own', async () => {
    expect(await toExternalAction(externalTool({ isReadOnly: true }), {})).toBeUndefined();
    expect(await toExternalAction(externalTool({ effect: 'written' }), {})).toBeUndefined();
  });
});

describe('consent', () => {
  it('[T24] is asked for with the whole action', async () => {
    expect(await check(change)).toStrictEqual({ kind: 'approval', name: 'tool', action: shown });
    const runsLater = 'hook';
    const files = change.files.map((fact) => ({ ...fact, runsLater }) as const);
    expect(await check({ ...change, files })).toMatchObject({ kind: 'approval', runsLater });
    expect(await check(change, {}, 'autopilot')).toBeUndefined();
  });

  it('[T24] is for the action that was shown', async () => {
    const given = { isGranted: true, action: shown };
    expect(await check(change, { approval: given })).toBeUndefined();
    expect(await check(change, { interrupted: shown })).toBeUndefined();
    const call = { isGranted: true, action: message.action };
    expect(await check(message, { approval: call })).toBeUndefined();
    const other = { ...message.action, preview: { kind: 'json', text: '{"to":"Bob"}' } } as const;
    expect(await check(message, { approval: { ...call, action: other } })).toMatchObject({
      kind: 'approval',
      action: { changed: ['preview'] },
    });
  });

  const [fact] = change.files;
  if (!fact) throw new Error('the change has a file');
  it.each([
    ['target', { ...fact, path: '@project/.husky/a.md' }],
    ['kind', { ...fact, before: { kind: 'absent' } }],
    ['mode', { ...fact, before: { ...fact.before, mode: 0o755 } }],
    ['mode', { ...fact, after: { ...fact.after, mode: 0o755 } }],
    ['runner', { ...fact, runsLater: 'hook' }],
    ['content', { ...fact, before: { ...fact.before, sha256: 'c' } }],
    ['identity', { ...fact, before: { ...fact.before, identity: '1:3' } }],
    ['preview', { ...fact, after: { ...fact.after, sha256: 'c' } }],
  ] as const)(
    '[T100] is asked for again if the %s of the file has changed, and says so',
    async (code, now) => {
      const options = { approval: { isGranted: true, action: shown } };
      for (const preset of ['ask', 'autopilot'] as const) {
        const asked = await check({ ...change, files: [now], mustAsk: true }, options, preset);
        expect(asked).toMatchObject({ kind: 'approval', action: { changed: [code], files: [now] } });
        const again = asked?.kind === 'approval' ? asked.action : shown;
        expect(describeChanges(again)).toMatchObject([{ key: `asked.changed.${code}` }]);
        const approved = { approval: { isGranted: true, action: again } };
        expect(await check({ ...change, files: [now], mustAsk: true }, approved, preset)).toBeUndefined();
      }
      expect(await check({ ...change, files: [now], mustAsk: true }, { interrupted: shown })).toMatchObject({
        kind: 'approval',
      });
    },
  );

  it('[T100] of an earlier version, which has no facts of files, is asked for again', async () => {
    const asked = await check(change, { approval: { isGranted: true, action: change.action } });
    expect(asked).toStrictEqual({ kind: 'approval', name: 'tool', action: shown });
  });

  it('[T24] that is denied goes to the model with the note, and says what was denied', async () => {
    const denied = { isGranted: false, action: shown };
    expect(await check(change, { approval: denied }, 'autopilot')).toMatchObject({
      kind: 'done',
      result: {
        error: {
          code: 'TOOL_REFUSED',
          message: 'The user denied this change to "@project/a.md". Do not repeat it unchanged.',
        },
      },
    });
    expect(await check(message, { approval: { ...denied, note: 'Not today.' } })).toMatchObject({
      result: {
        error: {
          message: 'The user denied this call to "mail". Their note: Not today. Do not repeat it unchanged.',
        },
      },
    });
  });

  it('[T24] is refused under read-only, whatever was approved', async () => {
    const everything = { approval: { isGranted: true, action: shown }, isGranted: () => true };
    expect(await check({ ...change, isAllowed: true }, everything, 'read-only')).toMatchObject({
      kind: 'done',
      result: { ok: false, error: { code: 'TOOL_REFUSED' } },
    });
  });

  it('[L21] follows the preset at the time of the call', async () => {
    const now = (preset: 'ask' | 'autopilot' | 'read-only' | undefined): Options => ({
      presetNow: async () => preset,
    });
    expect(await check(change, now('autopilot'))).toBeUndefined();
    expect(await check(change, now('ask'), 'autopilot')).toMatchObject({ kind: 'approval' });
    expect(await check(change, now('read-only'))).toMatchObject({ kind: 'done' });
    expect(await check(change, now(undefined), 'autopilot')).toBeUndefined();
  });

  it('[Y1] [T74] for longer, a rule, or autopilot do not replace what must be asked', async () => {
    const strict = { ...message, mustAsk: true };
    expect(await check(strict, {}, 'autopilot')).toMatchObject({ kind: 'approval' });
    expect(await check(strict, { isGranted: () => true })).toBeUndefined();
    expect(await check({ ...message, isAllowed: true })).toBeUndefined();
    const once = { ...strict, action: { ...message.action, isOnceOnly: true as const } };
    expect(await check(once, { isGranted: () => true }, 'autopilot')).toMatchObject({ kind: 'approval' });
  });

  it('[T100] for longer, and the preset, must cover each of several files', async () => {
    const at = (path: string) => ({ ...fact, path });
    const several = { ...change, files: [at('@project/artifacts/a.md'), at('@project/b.md')] };
    const granted = (...paths: string[]): Options => ({ isGranted: (_, target) => paths.includes(target) });
    expect(await check(several)).toMatchObject({ kind: 'approval' });
    expect(await check(several, granted('@project/artifacts/a.md'))).toMatchObject({ kind: 'approval' });
    expect(await check(several, granted('@project/artifacts/a.md', '@project/b.md'))).toBeUndefined();
    const results = { ...change, files: [at('@project/artifacts/a.md'), at('@project/artifacts/b.md')] };
    expect(await check(results)).toBeUndefined();
    const [first, second] = several.files;
    const program = { ...several, files: [first, { ...second, runsLater: 'hook' as const }] } as Request;
    expect(await check(program, { isGranted: () => true }, 'autopilot')).toMatchObject({ runsLater: 'hook' });
  });

  it('[T24] is not needed for a change that changes nothing', async () => {
    expect(await check({ ...change, isNoop: true })).toBeUndefined();
  });
});
