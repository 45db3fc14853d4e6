import { expect, it } from 'vitest';
import { escapeTokens } from '../llm/special-tokens.ts';
import { ALL_HOSTILE, blocksOf } from '../testing/hostile-documents.ts';
import { createScriptedModel } from '../testing/models/scripted-model.ts';
import { first, samplePackage } from '../testing/packages/sample-package.ts';
import { createSessionRig } from '../testing/rigs/session-rig.ts';

/** A conversation with an agent whose author, documents, person and model all write the same text. */
async function converse(text: string, systemPrompt?: string): Promise<readonly string[][]> {
  const files = samplePackage(
    ({ agents }) =>
      Object.assign(first(agents.agents), {
        ...(systemPrompt === undefined ? {} : { systemPrompt }),
        metadata: { name: text.slice(0, 80), title: text.slice(0, 80), icon: 'A' },
        persona: { role: text, identity: text, communication_style: text, principles: text },
        critical_actions: [text],
        prompts: [{ id: 'check', description: text, content: text }],
        menu: [
          { trigger: 'check', description: text, action: '#check' },
          { trigger: 'inline', description: 'Inline', action: text },
          { trigger: 'review', description: 'Review', exec: 'tasks/review.md', data: 'data/notes.txt' },
        ],
      }),
    { 'tasks/review.md': text, 'data/notes.txt': text },
  );
  const model = createScriptedModel(() => text);
  const rig = await createSessionRig({ package: files, model, agent: 'analyst', kind: 'agent' });
  // Typed exactly, a description chooses its item.
  const said = `I read this:\n${text}`;
  for (const line of ['check', 'inline', said, 'review', said]) await rig.session.input(line);
  expect(rig.bugs).toEqual([]);
  return model.requests.map(({ messages }) => {
    const sent = JSON.stringify(messages);
    expect(escapeTokens(sent)).toBe(sent);
    return messages.map(({ role, content }) =>
      [role, ...(role === 'user' || role === 'system' ? blocksOf(content) : [])].join(' '),
    );
  });
}

it('[P60] a conversation with an agent has the same blocks, whatever its package, its documents and its person say', async () => {
  expect(await converse(ALL_HOSTILE)).toEqual(await converse('Plain words.'));
  expect(await converse(ALL_HOSTILE, ALL_HOSTILE)).toEqual(await converse('Plain words.', 'Be kind.'));
});
