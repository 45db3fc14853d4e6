import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Policy } from '@crewagent/protocol/policy';
import { settingsSchema } from '@crewagent/protocol/settings';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LoadedPolicy } from './loaded-policy.ts';
import { createPolicySource, systemPolicyPath } from './policy-source.ts';
import {
  findCap,
  findRefusal,
  matches,
  type PolicyQuestion,
  restrictApproval,
  restrictLimits,
  restrictSettings,
  restrictShell,
} from './restrict.ts';
import { signPolicy } from './sign-policy.ts';

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crewagent-policy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const loaded = (policy: Omit<Policy, 'schemaVersion'>): LoadedPolicy => ({
  policy: { schemaVersion: 1, ...policy },
  place: '/etc/crewagent/policy.json',
});

const privateKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');

const door = (agent: string | undefined, over: 'acp' | 'mcp-stdio' | 'mcp-http' = 'mcp-stdio') =>
  ({ kind: 'door', agent, over }) as const;

describe('where a policy is', () => {
  it('is a folder of the system on each platform', () => {
    expect(systemPolicyPath({}, 'linux')).toBe('/etc/crewagent/policy.json');
    expect(systemPolicyPath({}, 'darwin')).toBe('/Library/Application Support/crewagent/policy.json');
    expect(systemPolicyPath({ ProgramData: 'D:\\Data' }, 'win32')).toBe('D:\\Data\\crewagent\\policy.json');
    expect(systemPolicyPath({}, 'win32')).toBe('C:\\ProgramData\\crewagent\\policy.json');
  });

  it('is also where the environment says, and then has to be there', async () => {
    const path = join(tempFolder(), 'mine.json');
    const source = createPolicySource({ CREWAGENT_POLICY: path }, 'win32');
    await expect(source.read()).rejects.toMatchObject({ code: 'POLICY_INVALID' });
    await writeFile(path, '{"schemaVersion":1,"push":false}');
    expect(await source.read()).toMatchObject([{ policy: { push: false }, place: path }]);
    await writeFile(path, '{"schemaVersion":1,"push":true}');
    expect(await source.read()).toMatchObject([{ policy: { push: true } }]);
    expect(await createPolicySource({ ProgramData: tempFolder() }, 'win32').read()).toEqual([]);
  });
});

describe('a policy that cannot be used', () => {
  it.each([
    ['no JSON', '{', 'it is not JSON'],
    ['no object', '[]', 'expected object'],
    ['an unknown rule', '{"schemaVersion":1,"modells":{}}', 'modells'],
    ['a newer version', '{"schemaVersion":2}', 'schemaVersion'],
    ['a wrong value', '{"schemaVersion":1,"approval":"everything"}', 'approval'],
    ['an address with a password', '{"schemaVersion":1,"addresses":["https://a:b@c"]}', 'addresses.0'],
  ])('[O31] is an error, so that nothing runs: %s', async (_, text, why) => {
    const path = join(tempFolder(), 'policy.json');
    await writeFile(path, text);
    const reading = createPolicySource({ CREWAGENT_POLICY: path }, 'win32').read();
    await expect(reading).rejects.toMatchObject({ code: 'POLICY_INVALID' });
    await expect(reading).rejects.toThrow(why);
    await expect(reading).rejects.toThrow(path);
  });

  it('[O31] is a folder, too', async () => {
    const path = join(tempFolder(), 'policy.json');
    await mkdir(path);
    await expect(createPolicySource({ CREWAGENT_POLICY: path }).read()).rejects.toMatchObject({
      code: 'POLICY_INVALID',
    });
  });
});

describe('a signed policy', () => {
  it('[O31] holds only with a signature by its key, beside it or in the environment', async () => {
    const folder = tempFolder();
    const path = join(folder, 'policy.json');
    const env = { CREWAGENT_POLICY: path };
    const read = (more = {}) => createPolicySource({ ...env, ...more }, 'win32').read();
    await writeFile(path, '{"schemaVersion":1,"push":false}');
    await signPolicy(path, privateKey());
    const [signed] = await read();
    expect(signed?.signedBy).toMatch(/^[\da-f]{4}(-[\da-f]{4}){5}$/);
    // Another key than the one that is demanded.
    const other = join(folder, 'other.json');
    await writeFile(other, '{"schemaVersion":1}');
    await signPolicy(other, privateKey());
    const { readFile, rm } = await import('node:fs/promises');
    const key = (await readFile(`${other}.pub`, 'utf8')).trim();
    await expect(read({ CREWAGENT_POLICY_KEY: key })).rejects.toThrow('signed by another key');
    await expect(read({ CREWAGENT_POLICY_KEY: 'nonsense' })).rejects.toThrow('not a public key');
    // Changed after it was signed, with the same source as before.
    const source = createPolicySource(env, 'win32');
    await source.read();
    await writeFile(path, '{"schemaVersion":1,"push":true}');
    await expect(source.read()).rejects.toThrow('changed after it was signed');
    await rm(`${path}.sig`);
    await expect(source.read()).rejects.toThrow('its signature');
    await writeFile(`${path}.sig`, 'AAAA');
    await rm(`${path}.pub`);
    await expect(source.read()).rejects.toThrow('no key to verify it');
    await rm(`${path}.sig`);
    expect(await source.read()).toMatchObject([{ policy: { push: true } }]);
  });
});

const model = (provider: string, name: string, address: string, isOwnAddress = false): PolicyQuestion => ({
  kind: 'model',
  provider,
  name,
  address: new URL(address),
  isOwnAddress,
});

describe('what a policy refuses', () => {
  const OPENAI = 'https://api.openai.com/v1';
  it.each<[string, Omit<Policy, 'schemaVersion'>, PolicyQuestion, string | undefined]>([
    [
      'a listed provider',
      { models: { providers: ['openai'] } },
      model('openai', 'm', OPENAI, true),
      undefined,
    ],
    [
      'its name at another address',
      { models: { providers: ['openai'] } },
      model('openai', 'm', 'https://evil.example/v1'),
      'models.providers',
    ],
    [
      'another provider',
      { models: { providers: ['openai'] } },
      model('groq', 'm', 'https://api.groq.com', true),
      'models.providers',
    ],
    [
      'a listed address',
      { models: { providers: [], addresses: ['llm.acme.example'] } },
      model('generic', 'm', 'https://llm.acme.example/v1'),
      undefined,
    ],
    [
      'the beginning of its name',
      { models: { addresses: ['https://llm.acme.example/v1'] } },
      model('generic', 'm', 'https://llm.acme.example/v1evil'),
      'models.addresses',
    ],
    [
      'a path that leads up',
      { models: { addresses: ['https://llm.acme.example/v1'] } },
      model('generic', 'm', 'https://llm.acme.example/v1/../evil'),
      'models.addresses',
    ],
    [
      'a longer host',
      { models: { addresses: ['acme.example'] } },
      model('generic', 'm', 'https://acme.example.evil.test/'),
      'models.addresses',
    ],
    [
      'another port',
      { models: { addresses: ['acme.example:443'] } },
      model('generic', 'm', 'https://acme.example:8443/'),
      'models.addresses',
    ],
    [
      'a model by pattern',
      { models: { names: ['gpt-5*'] } },
      model('openai', 'gpt-5-mini', OPENAI, true),
      undefined,
    ],
    [
      'another model',
      { models: { names: ['gpt-5*'] } },
      model('openai', 'gpt-4', OPENAI, true),
      'models.names',
    ],
    [
      'an address of any kind',
      { addresses: ['*.acme.example'] },
      model('openai', 'm', OPENAI, true),
      'addresses',
    ],
    [
      'a server by address',
      { servers: [{ address: 'mcp.acme.example' }] },
      { kind: 'server', target: new URL('https://mcp.acme.example/mcp') },
      undefined,
    ],
    [
      'a command where addresses are listed',
      { servers: [{ address: 'mcp.acme.example' }] },
      { kind: 'server', target: ['npx', 'server'] },
      'servers',
    ],
    [
      'a server by command',
      { servers: [{ command: 'npx -y @acme/*' }] },
      { kind: 'server', target: ['npx', '-y', '@acme/files'] },
      undefined,
    ],
    [
      'its line in one word',
      { servers: [{ command: 'npx -y @acme/files' }] },
      { kind: 'server', target: ['npx -y', '@acme/files'] },
      'servers',
    ],
    ['all servers', { servers: [] }, { kind: 'server', target: ['npx'] }, 'servers'],
    [
      'a command',
      { shell: { commands: ['npm test'] } },
      { kind: 'command', words: ['npm', 'test', '-w'], line: '' },
      undefined,
    ],
    [
      'another command',
      { shell: { commands: ['npm test'] } },
      { kind: 'command', words: ['npm', 'testing'], line: '' },
      'shell.commands',
    ],
    [
      'a line for a shell',
      { shell: { commands: ['npm test'] } },
      { kind: 'command', words: undefined, line: 'npm test; rm' },
      'shell.commands',
    ],
    [
      'all commands',
      { shell: { enabled: false } },
      { kind: 'command', words: ['ls'], line: 'ls' },
      'shell.enabled',
    ],
    ['no sandbox', { shell: { sandbox: 'required' } }, { kind: 'shell', isIsolated: false }, 'shell.sandbox'],
    [
      'no sandbox where hosts are listed',
      { shell: { hosts: [] } },
      { kind: 'shell', isIsolated: false },
      'shell.hosts',
    ],
    ['a host', { shell: { hosts: ['*.acme.example'] } }, { kind: 'host', host: 'a.acme.example' }, undefined],
    [
      'a wider pattern of hosts',
      { shell: { hosts: ['a.acme.example'] } },
      { kind: 'host', host: '*.acme.example' },
      'shell.hosts',
    ],
    ['a higher preset', { approval: 'ask' }, { kind: 'approval', preset: 'autopilot' }, 'approval'],
    [
      'a preset that writes outside of the results without asking',
      { approval: 'ask' },
      { kind: 'approval', preset: 'declared' },
      'approval',
    ],
    ['the same preset', { approval: 'ask' }, { kind: 'approval', preset: 'ask' }, undefined],
    [
      'a package by name',
      { packages: [{ name: 'acme-*' }] },
      { kind: 'package', name: 'acme-story', sha256: 'a', signer: undefined },
      undefined,
    ],
    [
      'an unsigned package',
      { packages: [{ signer: 'K' }] },
      { kind: 'package', name: 'x', sha256: 'a', signer: undefined },
      'packages',
    ],
    [
      'a package by hash',
      { packages: [{ sha256: 'a' }] },
      { kind: 'package', name: 'x', sha256: 'a', signer: undefined },
      undefined,
    ],
    ['an agent by its name', { doors: { agents: ['claude*'] } }, door('Claude-Code'), undefined],
    ['another agent', { doors: { agents: ['claude*'] } }, door('cursor'), 'doors.agents'],
    ['an agent without a name', { doors: { agents: ['*'] } }, door(undefined), 'doors.agents'],
    ['a way in', { doors: { over: ['acp'] } }, door('x', 'acp'), undefined],
    ['another way in', { doors: { over: ['acp'], agents: ['x'] } }, door('x'), 'doors.over'],
    ['no way in at all', { doors: { over: [] } }, door('x', 'mcp-http'), 'doors.over'],
    ['a push', { push: false }, { kind: 'push' }, 'push'],
  ])('[O30] judges %s', (_, policy, question, rule) => {
    const refusal = findRefusal([loaded(policy)], question);
    expect(refusal?.rule).toBe(rule);
    if (rule !== undefined) expect(refusal?.message).toContain(`rule "${rule}"`);
  });

  it('[O30] names whose policy it is and whom to ask', () => {
    const policy = loaded({ organisation: 'ACME', contact: 'it@acme.example', push: false });
    expect(findRefusal([policy], { kind: 'push' })?.message).toBe(
      'The policy of ACME does not allow moving runs and conversations to another server (rule "push"). Use what it allows, or ask it@acme.example.',
    );
  });
});

const agents = fc.constantFrom('claude-code', 'cursor', 'zed', '*', 'c*');
const ways = fc.constantFrom('mcp-stdio', 'mcp-http', 'acp');
const hosts = fc.constantFrom('a.example', 'b.example', '*.example', 'c.b.example');
const presets = fc.constantFrom('read-only', 'ask', 'declared', 'autopilot');
const RANK = ['read-only', 'ask', 'declared', 'autopilot'];
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const limits = fc.record({
  maxTurns: optional(fc.integer({ min: 1, max: 100 })),
  maxTokens: optional(fc.integer({ min: 1, max: 100 })),
  maxCostUsd: optional(fc.integer({ min: 1, max: 100 })),
  maxMinutes: optional(fc.integer({ min: 1, max: 100 })),
});
const policies = fc.record({
  approval: optional(presets),
  limits: optional(limits),
  shell: optional(
    fc.record({ enabled: optional(fc.boolean()), hosts: optional(fc.array(hosts, { maxLength: 3 })) }),
  ),
  push: optional(fc.boolean()),
  doors: optional(
    fc.record({
      agents: optional(fc.array(agents, { maxLength: 2 })),
      over: optional(fc.array(ways, { maxLength: 2 })),
    }),
  ),
  addresses: optional(fc.array(hosts, { maxLength: 3 })),
}) as fc.Arbitrary<Omit<Policy, 'schemaVersion'>>;
const questions: fc.Arbitrary<PolicyQuestion> = fc.oneof(
  presets.map((preset) => ({ kind: 'approval', preset }) as const),
  hosts.map((host) => ({ kind: 'host', host }) as const),
  hosts.map((host) => ({ kind: 'address', address: new URL(`https://${host.replace('*', 'x')}`) }) as const),
  fc.constant({ kind: 'push' } as const),
  fc.record({ kind: fc.constant('door' as const), agent: optional(agents), over: ways }),
  fc.boolean().map((isIsolated) => ({ kind: 'shell', isIsolated }) as const),
);

describe('any settings with any policies', () => {
  it('[O30] are never wider than the settings, or than one of the policies', () => {
    fc.assert(
      fc.property(
        fc.array(policies, { maxLength: 3 }),
        optional(presets),
        limits,
        fc.boolean(),
        fc.array(hosts),
        (all, approval, own, enabled, wanted) => {
          const held = all.map(loaded);
          const settings = settingsSchema.parse({
            tools: approval === undefined ? {} : { approval },
            limits: Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)),
          });
          const merged = restrictSettings(held, settings);
          const preset = restrictApproval(held, merged.tools.approval ?? 'ask');
          const shell = restrictShell(held, {
            enabled,
            network: true,
            hosts: wanted,
            folders: [],
            git: false,
            allow: [],
          });
          for (const policy of [settings, ...all].map((one) =>
            'tools' in one ? { approval: one.tools.approval, limits: one.limits } : one,
          )) {
            if (policy.approval !== undefined)
              expect(RANK.indexOf(preset)).toBeLessThanOrEqual(RANK.indexOf(policy.approval));
            for (const name of ['maxTurns', 'maxTokens', 'maxCostUsd', 'maxMinutes'] as const) {
              const limit = policy.limits?.[name];
              if (limit !== undefined) expect(merged.limits[name]).toBeLessThanOrEqual(limit);
            }
          }
          expect(merged.limits).toEqual(restrictLimits(held, settings.limits));
          expect(findCap(held)?.maxTokens ?? Infinity).toBe(
            Math.min(Infinity, ...all.flatMap((one) => one.limits?.maxTokens ?? [])),
          );
          expect(wanted).toEqual(expect.arrayContaining([...shell.hosts]));
          if (!enabled || all.some((one) => one.shell?.enabled === false)) expect(shell.enabled).toBe(false);
          // What was not restricted is as it was.
          expect({ ...merged, tools: 0, limits: 0 }).toEqual({ ...settings, tools: 0, limits: 0 });
        },
      ),
    );
  });

  it('[O30] allow only what each policy allows alone, in any order', () => {
    fc.assert(
      fc.property(fc.array(policies, { maxLength: 4 }), questions, (all, question) => {
        const held = all.map(loaded);
        const isAllowed = findRefusal(held, question) === undefined;
        expect(isAllowed).toBe(held.every((one) => findRefusal([one], question) === undefined));
        expect(isAllowed).toBe(findRefusal([...held].reverse(), question) === undefined);
      }),
    );
  });

  it('match patterns as a regular expression would', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, value) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(value);
        expect(matches(pattern, value)).toBe(expected);
      }),
    );
  });
});
