import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inspectPackage } from '../bmad/load-package.ts';
import { writeTree } from '../testing/file-tree.ts';
import { CLASSIC, SKILLS, V6_MODULE } from '../testing/import-sources.ts';
import { type ReceivedRequest, startFakeProvider } from '../testing/models/fake-provider.ts';
import { type ProviderReply, textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { finishArguments } from '../testing/models/scripted-model.ts';
import { createRuntimeRig } from '../testing/rigs/runtime-rig.ts';
import { importSource } from './import-source.ts';

const context = { runtimeVersion: '1.0.0', knownServers: new Set<string>() };
const LONG = `# Long\n\n${'Look at the bed and note what grows. '.repeat(600)}\n`;
const STEPS = 'yard/workflows/walk/steps/step-0';
/** Constructs that need nothing of the import but to be left alone. */
const WALK = {
  'yard/module.yaml': 'code: yard\n',
  'yard/workflows/walk/workflow.md': '# Walk\n\nFollow steps/step-01-start.md\n',
  'yard/workflows/walk/template.md': '---\nstepsCompleted: [1]\n---\n# Walk of {{date}}\n',
  [`${STEPS}1-start.md`]:
    '---\ntemplate: ../template.md\n---\n# Start\n\nCopy {template}. Add 1 to `stepsCompleted` of the document.\n\nALWAYS halt and wait. [C] Continue: read fully and follow ./step-02-long.md\n',
  [`${STEPS}2-long.md`]: `${LONG}\nUse what was already loaded, as discussed in step 1. Then load ./step-03-end.md\n`,
  [`${STEPS}3-end.md`]: '# End\n\nSay goodbye to {user_name}.\n',
};

const textOf = ({ content }: ReceivedRequest['body']['messages'][number]): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** Has the heading of every template. */
const CONTENT = `# Bed of Gardener\n\n# Weeds\n\n${'The soil is dark, and the bees are left alone. '.repeat(8)}\n`;

/** Says something, writes what is due, and takes the way that was taken least. */
function createPlayer() {
  const visits = new Map<string, number>();
  return ({ body: { messages } }: ReceivedRequest): ProviderReply => {
    const at = messages.findLastIndex((message) => textOf(message).includes('NODE_BRIEF\n'));
    const [brief = ''] = textOf(messages[at] ?? { role: 'user', content: '' })
      .split('NODE_BRIEF\n')
      .slice(-1)
      .map((text) => text.split('\n\n')[0] ?? '');
    const nodeId = /- currentNodeId: (\S+)/.exec(brief)?.[1] ?? '';
    const replies = messages.slice(at + 1).filter(({ role }) => role === 'assistant');
    if (replies.length === 0) return textReply('Here we are. [C] Continue');
    const outputs = [...(brief.split('- outputsMap:')[1] ?? '').matchAll(/ -> (@project\/\S+)$/gm)];
    if (replies.length === 1 && outputs.length > 0)
      return toolCallReply(
        outputs.map(([, path = ''], index) => ({
          id: `w${index}`,
          name: 'fs_write',
          arguments: { path: path.replaceAll(/[{}*]/g, 'x'), content: CONTENT },
        })),
      );
    const ways = [...(brief.split('- allowedNext:')[1] ?? '').matchAll(/^ {2}- (\S+) \(/gm)].map(
      ([, to = '']) => to,
    );
    visits.set(nodeId, (visits.get(nodeId) ?? 0) + 1);
    const [to] = ways.toSorted((a, b) => (visits.get(a) ?? 0) - (visits.get(b) ?? 0));
    if (replies.length > 6) return textReply(`I am stuck at ${nodeId}.`);
    return toolCallReply([{ id: 'f', name: 'fs_apply_patch', arguments: finishArguments(nodeId, to) }]);
  };
}

async function play(files: Readonly<Record<string, string>>) {
  const { root, create } = await createRuntimeRig();
  await writeTree(join(root, 'source'), files);
  const { folder } = await importSource({
    source: join(root, 'source'),
    out: join(root, 'package'),
    context,
    rehearse: false,
  });
  const { package: loaded } = await inspectPackage(folder, context);
  const phases: string[] = [];
  const requests: ReceivedRequest[] = [];
  for (const { ref } of loaded?.workflows ?? []) {
    const provider = await startFakeProvider(createPlayer());
    onTestFinished(() => provider.close());
    const model = { model: 'scripted', baseUrl: provider.url };
    const { engine } = await create({ package: folder, workflow: ref, model, approval: 'autopilot' });
    let stop = await engine.start();
    for (let words = 0; stop.phase === 'WaitingUser' && words < 60; words++) stop = await engine.say('C');
    phases.push(`${ref} ${stop.phase}`);
    expect(provider.violations).toEqual([]);
    requests.push(...provider.requests);
  }
  return { phases, requests };
}

describe('imported workflows', () => {
  it.each([
    ['a module', { ...V6_MODULE, ...CLASSIC }],
    ['skills', SKILLS],
  ])('[P24] of %s are completed by a model that answers over HTTP', async (_, files) => {
    const { phases } = await play(files);
    expect(phases.length).toBeGreaterThan(1);
    expect(phases.filter((phase) => !phase.endsWith('Completed'))).toEqual([]);
  });

  it('[P24] send long steps whole, and leave progress of documents and mentions of earlier steps alone', async () => {
    const { phases, requests } = await play(WALK);
    expect(phases).toEqual(['walk Completed']);
    const sent = requests.map(({ rawBody }) => rawBody.toString());
    expect(sent.some((body) => body.includes(JSON.stringify(LONG).slice(1, -1)))).toBe(true);
    expect(sent.some((body) => body.includes('as discussed in step 1'))).toBe(true);
    expect(sent[0]).toContain('- stepsCompleted: none');
  });
});
