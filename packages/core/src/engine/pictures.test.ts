import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { withPictures } from '../llm/picture-parts.ts';
import { COMMON_RULES } from '../llm/provider-messages.ts';
import { hashRequest } from '../llm/serialise.ts';
import type { ChatRequest } from '../llm/wire.ts';
import { createScriptedModel } from '../testing/models/scripted-model.ts';
import { diskRigFor } from '../testing/rigs/branching-run.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex');
const PATH = '@project/attachments/plan.png';

/** A model with or without sight, and the requests it got. */
function createModel(replies: Parameters<typeof createScriptedModel>[0], pictures: boolean) {
  const model = createScriptedModel(replies);
  const rules = { origin: 'h/m', ...COMMON_RULES, pictures };
  const requests: ChatRequest[] = [];
  const adapter: LLMAdapter = {
    ...model,
    traits: { ...model.traits, rules },
    chat(request, watch) {
      requests.push(request);
      return model.chat(request, watch);
    },
  };
  return { adapter, requests };
}

async function rigWith(adapter: LLMAdapter) {
  const rig = await diskRigFor([], { model: adapter, project: { 'attachments/notes.txt': 'x' } });
  await writeFile(join(rig.project, 'attachments/plan.png'), PNG);
  return rig;
}

const sentParts = async (request: ChatRequest | undefined) => {
  const { messages } = await withPictures(request ?? { messages: [], tools: [] });
  return messages.flatMap(({ content }) => (Array.isArray(content) ? (content as { type: string }[]) : []));
};

describe('pictures of a person', () => {
  it('[L8] go to a model that takes them; the log has a reference, and a reopened run sends the same bytes', async () => {
    const first = createModel(['Which?', 'I see.'], true);
    const rig = await rigWith(first.adapter);
    await rig.engine.start();
    await rig.engine.say(`Look at ${PATH}.`);
    const [, request] = first.requests;
    expect(await sentParts(request)).toEqual([
      { type: 'text', text: expect.stringContaining('Look at') as string },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } },
    ]);
    const [picture] = rig.eventsOf('message.completed').flatMap(({ pictures = [] }) => pictures);
    expect(picture).toMatchObject({ path: PATH, mime: 'image/png', bytes: PNG.length });
    expect(JSON.stringify(rig.events)).not.toContain('base64');

    // The file in the project is another one by now.
    await writeFile(join(rig.project, 'attachments/plan.png'), 'changed');
    const second = createModel(['Again.'], true);
    const reopened = await rig.reopen(second.adapter);
    await reopened.engine.say('And now?');
    const [again] = second.requests;
    expect(await sentParts(again)).toContainEqual((await sentParts(request))[1]);
    const replayed = await reopened.reopen(createModel(['Third.'], true).adapter);
    const { requestSha256 } = reopened.eventsOf('turn.started').at(-1) ?? {};
    expect(again && hashRequest(again)).toBe(requestSha256);
    await replayed.close();
  });

  it('[L8] are only named for a model that does not take them, and the person is told', async () => {
    const { adapter, requests } = createModel(['Which?', 'I cannot.'], false);
    const rig = await rigWith(adapter);
    await rig.engine.start();
    await rig.engine.say(`Look at ${PATH}`);
    expect(requests[1]?.messages.at(-1)?.content).toContain('You cannot see pictures');
    expect(await sentParts(requests[1])).toEqual([]);
    expect(rig.eventsOf('warning')).toMatchObject([{ code: 'PICTURES_NOT_SEEN', details: { path: PATH } }]);
  });

  it('[L8] of an answer follow the result of the call', async () => {
    const questions = [{ id: 'sketch', prompt: 'Which sketch?', type: 'text' }];
    const ask = { calls: [{ name: 'ui_ask_user', arguments: { questions } }] };
    const { adapter, requests } = createModel([ask, 'I see.'], true);
    const rig = await rigWith(adapter);
    await rig.engine.start();
    await rig.engine.answer({ sketch: `this one: ${PATH}` });
    const roles = requests[1]?.messages.map(({ role }) => role).slice(-2);
    expect(roles).toEqual(['tool', 'user']);
    expect(await sentParts(requests[1])).toHaveLength(2);
  });

  it('[L8] are sent with the next two messages of the person, then only named', async () => {
    const { adapter, requests } = createModel(['Which?', '1', '2', '3', '4'], true);
    const rig = await rigWith(adapter);
    await rig.engine.start();
    await rig.engine.say(`Look at ${PATH}`);
    for (const text of ['two', 'three', 'four']) await rig.engine.say(text);
    const counts = await Promise.all(requests.map(async (request) => (await sentParts(request)).length));
    expect(counts).toEqual([0, 2, 2, 2, 0]);
    expect(JSON.stringify(requests[4]?.messages)).toContain(`not attached any more: ${PATH}`);
  });

  it('[L8] must be pictures: other content, secret files and large ones are not sent', async () => {
    const { adapter, requests } = createModel(['Which?', 'No.'], true);
    const rig = await rigWith(adapter);
    await writeFile(join(rig.project, 'text.png'), 'not a picture');
    await writeFile(join(rig.project, 'large.png'), Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]));
    await rig.engine.start();
    await rig.engine.say('Look at @project/text.png, `@project/large.png` and @project/missing.png');
    expect(await sentParts(requests[1])).toEqual([]);
    expect(rig.eventsOf('warning')).toMatchObject([{ code: 'PICTURE_TOO_LARGE' }]);
  });
});
