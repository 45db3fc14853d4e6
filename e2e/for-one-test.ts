/** The product and a scripted model for the test that starts them: both end with it, and its pages must have no complaints. */
import { expect, onTestFinished } from 'vitest';
import type { ProviderScript } from '../packages/core/src/testing/models/fake-provider.ts';
import { type ScriptedProvider, startScriptedModel } from './scripted-model.ts';
import { startWholePage, type WholePage, type WholePageOptions } from './whole-page.ts';

export async function pageForTest(options?: WholePageOptions): Promise<WholePage> {
  const whole = await startWholePage(options);
  onTestFinished(async () => {
    await whole.close();
    expect(whole.complaints).toEqual([]);
  });
  return whole;
}

/** Started before the page, it ends after it. */
export async function modelForTest(script: ProviderScript): Promise<ScriptedProvider> {
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  return model;
}

/** A chat in a project that asks before it changes files, with a scripted model. */
export async function chatForTest(script: ProviderScript) {
  const model = await modelForTest(script);
  const whole = await pageForTest({ env: model.env });
  const api = whole.api();
  const { projectId } = await api.projects.open({ body: { path: whole.project } });
  const { workId } = await api.works.create({ body: { projectId, kind: 'chat', approval: 'ask' } });
  return { whole, model, path: `/p/${projectId}/w/${workId}`, workId };
}
