import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { describe, expect, it } from 'vitest';
import { mount, mountRaw } from '../../../server/src/mount.ts';
import { createAccountsRig } from '../testing/accounts-rig.ts';

const APPROVAL = { callId: 'call-1', decision: 'once', shown: 'a'.repeat(64) };

async function createRig(options?: Parameters<typeof createAccountsRig>[0]) {
  const rig = await createAccountsRig(options);
  const { works } = ENDPOINTS;
  const projectId = await rig.addProject();
  const done = () => Promise.resolve(new Response('done', { status: 200 }));
  for (const endpoint of [works.approve, works.waive, works.allowChange, works.change, works.input])
    mountRaw(rig.router, endpoint, done);
  await rig.accounts.roles.setPolicy(projectId, { needsSecondPerson: true });
  const [starter, colleague] = [await rig.addPerson('starter'), await rig.addPerson('colleague')];
  const asStarter = await rig.signIn(starter, { projectId, role: 'approve' });
  const asColleague = await rig.signIn(colleague, { projectId, role: 'approve' });
  const post = async (workId: string, headers: { cookie: string }, command: string, body?: object) =>
    (await rig.call(`/works/${workId}/${command}`, { method: 'POST', headers, body })).status;
  return { ...rig, projectId, starter, asStarter, asColleague, post };
}

describe('a project that needs a second person', () => {
  it('refuses approvals of the person who started the Work, by whatever call', async () => {
    const rig = await createRig();
    const workId = await rig.addWork(rig.projectId);
    await rig.accounts.roles.recordStarter(workId, rig.starter.personId);
    const { asStarter, asColleague, post } = rig;
    expect(await post(workId, asStarter, 'approve', APPROVAL)).toBe(403);
    expect(await post(workId, asStarter, 'waive', { reason: 'because' })).toBe(403);
    expect(await post(workId, asStarter, 'allow-change')).toBe(403);
    for (const text of ['/allow', ' ／Allow ', '*allow', '、允许'])
      expect([text, await post(workId, asStarter, 'input', { text })]).toEqual([text, 403]);
    expect(await post(workId, asStarter, 'input', { text: 'allow' })).toBe(200);
    const autopilot = { method: 'PATCH', headers: asStarter, body: { approval: 'autopilot' } };
    expect((await rig.call(`/works/${workId}`, autopilot)).status).toBe(403);
    const token = await rig.tokenOf(rig.starter, 'approve');
    const byToken = { method: 'POST', headers: token, body: APPROVAL };
    expect((await rig.call(`/works/${workId}/approve`, byToken)).status).toBe(403);
    expect(await post(workId, asStarter, 'approve', { ...APPROVAL, decision: 'no' })).toBe(200);
    expect(await post(workId, asColleague, 'approve', APPROVAL)).toBe(200);
    await rig.accounts.roles.setPolicy(rig.projectId, { needsSecondPerson: false });
    expect(await post(workId, asStarter, 'approve', APPROVAL)).toBe(200);
  });

  it('refuses approvals of Works of which nobody knows who started them', async () => {
    const rig = await createRig();
    const workId = await rig.addWork(rig.projectId);
    expect(await rig.post(workId, rig.asColleague, 'approve', APPROVAL)).toBe(403);
  });

  it('starts no Work on autopilot, and remembers who starts one', async () => {
    const rig = await createRig();
    const workId = await rig.addWork(rig.projectId);
    const { create } = ENDPOINTS.works;
    const status = { workId, mode: 'chat', phase: 'WaitingUser' } as const;
    const callers: (string | undefined)[] = [];
    mount({ ...rig.router, checksResponses: false }, create, () => {
      callers.push(rig.currentPerson()?.name);
      return Promise.resolve(status);
    });
    const body = { projectId: rig.projectId, kind: 'chat' };
    const start = (more: object = {}) =>
      rig.call('/works', { method: 'POST', headers: rig.asStarter, body: { ...body, ...more } });
    expect((await start({ approval: 'autopilot' })).status).toBe(403);
    expect((await start()).status).toBe(201);
    const starters = await rig.database.read('select root_id, person_id from work_starters');
    expect(callers).toEqual(['starter']);
    expect(rig.currentPerson()).toBeUndefined();
    expect(starters).toEqual([{ root_id: workId, person_id: rig.starter.personId }]);
  });

  it('starts no Work on autopilot because the settings of the team say so', async () => {
    const rig = await createRig({ usualApproval: () => Promise.resolve('autopilot') });
    mountRaw(rig.router, ENDPOINTS.works.create, () => Promise.resolve(new Response('started')));
    const start = (approval?: string) => {
      const body = { projectId: rig.projectId, kind: 'chat', ...(approval ? { approval } : {}) };
      return rig.call('/works', { method: 'POST', headers: rig.asStarter, body });
    };
    expect((await start()).status).toBe(403);
    expect((await start('ask')).status).toBe(200);
  });
});
