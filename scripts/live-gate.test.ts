import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeProvider } from '../packages/core/src/testing/models/fake-provider.ts';
import { streamReply } from '../packages/core/src/testing/models/provider-replies.ts';
import { replyAsStoryReader } from '../packages/core/src/testing/models/story-reader.ts';
import { tempFolder } from '../packages/core/src/testing/temp-folder.ts';
import { checkCitations, compareReports, playLive, SCENARIOS } from './live-gate.ts';

const ROOT = join(import.meta.dirname, '..');

describe('the live gate', () => {
  it('plays a package with the model of an endpoint and counts what happened', async () => {
    const provider = await startFakeProvider(({ body }) => {
      const { content = '', calls = [] } = replyAsStoryReader({ messages: body.messages, tools: [] });
      const toolCalls = calls.map(({ name, arguments: args }) => ({
        name,
        arguments: args as Record<string, unknown>,
      }));
      return streamReply({ ...(content === '' ? {} : { text: content }), toolCalls });
    });
    onTestFinished(() => provider.close());
    const scenarios = SCENARIOS.filter((scenario) => scenario.package === 'create-story-micro');
    const options = { root: ROOT, baseUrl: provider.url, model: 'mock', apiKey: 'sk-mock-123456', runs: 2 };
    const report = await playLive({ ...options, scenarios });
    expect(provider.violations).toEqual([]);
    const { 'create-story-micro': story } = report.packages;
    expect(story).toMatchObject({ runs: 2, completed: 2, inventedChoices: 0, turns: 9, failures: {} });
    expect(story?.citations.right).toBe(story?.citations.all);
    expect(story?.citations.all).toBeGreaterThan(20);
    expect(story?.bytes).toBeGreaterThan(100_000);
    expect(story?.tokens).toBe(990);
    const worse = { ...report, packages: { 'create-story-micro': { ...story, completed: 1, turns: 12 } } };
    expect(compareReports(report, worse as typeof report)).toMatchObject({
      isWorse: true,
      lines: expect.arrayContaining([
        'create-story-micro completed: 100 → 50 (-50)',
        'create-story-micro turns: 9 → 12 (+3)',
      ]) as string[],
    });
    expect(compareReports(worse as typeof report, report).isWorse).toBe(false);
  });

  it('says how a run ended that could not be completed', async () => {
    const provider = await startFakeProvider(() => streamReply({ text: 'What is it about?' }));
    onTestFinished(() => provider.close());
    const scenarios = [{ package: 'hello-branch', answers: [], mustAsk: 1 }];
    const options = { root: ROOT, baseUrl: provider.url, model: 'mock', apiKey: 'sk-mock-123456', runs: 1 };
    const { packages } = await playLive({ ...options, scenarios });
    expect(packages['hello-branch']).toMatchObject({
      completed: 0,
      inventedChoices: 0,
      failures: { reply: 1 },
    });
  });

  it('checks citations against the lines that they name', async () => {
    const project = await tempFolder();
    mkdirSync(join(project, 'artifacts'));
    writeFileSync(join(project, 'prd.md'), '# Product\nA code is valid for 48 hours.\n');
    writeFileSync(
      join(project, 'artifacts/a.md'),
      '- The code expires after 48 hours (prd.md:2)\n- The code expires (prd.md:1)\n- Members join (none.md:3)\n',
    );
    expect(checkCitations(project)).toEqual({ right: 1, all: 3 });
  });
});
