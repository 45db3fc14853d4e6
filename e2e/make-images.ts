/**
 * Takes the pictures of the README and of the guide from the real page: a run that asks, and the files that another one wrote. Run it after the
 * page has changed: `npm run images`. A machine without a font for emoji shows boxes for the icons of agents.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient } from '@crewagent/protocol/api/client';
import { makeGuideImages } from './make-guide-images.ts';
import { ROOT, startWholePage } from './whole-page.ts';

const FOLDER = join(ROOT, 'docs/images');

const whole = await startWholePage();
try {
  await cp(join(ROOT, 'examples/demo-project'), whole.project, { recursive: true });
  const api = whole.api();
  const { projectId } = await api.projects.open({ body: { path: whole.project } });
  const start = async (example: string, input?: string): Promise<string> => {
    const { package: pkg } = await api.packages.installExample({ example });
    const { workId } = await api.works.create({
      body: {
        projectId,
        kind: 'workflow',
        packageHash: pkg.hash,
        approval: 'ask',
        input,
      },
    });
    return workId;
  };
  const story = await start('create-story-micro', '1-2-user-login');
  await untilPhase(api, story, 'Completed');
  const asking = await start('hello-branch');
  await untilPhase(api, asking, 'WaitingUser');

  const light = await whole.open({ path: `/p/${projectId}/w/${asking}`, colorScheme: 'light' });
  await light.getByRole('textbox', { name: 'What is the project called?' }).fill('Larder');
  await light.locator('.react-flow__node').first().waitFor();
  await light.waitForTimeout(1_000);
  await light.screenshot({ path: join(FOLDER, 'run-light.png') });

  const dark = await whole.open({ path: `/p/${projectId}/w/${story}`, colorScheme: 'dark' });
  await dark.getByRole('region', { name: 'Result of the run' }).waitFor();
  await dark.getByRole('tab', { name: 'Artifacts' }).click();
  const files = dark.getByRole('tabpanel', { name: 'Artifacts' });
  await files
    .getByRole('button', { name: /inputs\.md/ })
    .first()
    .click();
  await files.getByRole('group', { name: 'Changes' }).first().waitFor();
  await dark.waitForTimeout(1_000);
  await dark.screenshot({ path: join(FOLDER, 'artifacts-dark.png') });
  await makeGuideImages(whole, projectId);
} finally {
  await whole.close();
}
process.exit(0);

async function untilPhase(api: ApiClient, workId: string, phase: string): Promise<void> {
  for (;;) {
    const { works } = await api.works.list();
    if (works.some((work) => work.workId === workId && work.phase === phase)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
