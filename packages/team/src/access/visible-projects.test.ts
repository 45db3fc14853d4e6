import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createApiClient } from '@crewagent/protocol/api/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { createApp } from '../../../server/src/app.ts';
import { createRequestListener } from '../../../server/src/request-listener.ts';
import { createOwnHosts } from '../../../server/src/security/own-hosts.ts';
import { createStaticFiles } from '../../../server/src/static-files.ts';
import { createServerRig, prepare, until } from '../../../server/src/testing/server-rig.ts';
import { createAccountsRig } from '../testing/accounts-rig.ts';

/** The whole server, with two projects that have a run each; Ada sees the first project. */
async function startTeamServer() {
  const rig = await createServerRig();
  const team = await createAccountsRig();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const hosts = createOwnHosts('127.0.0.1', port);
  const app = createApp({ parts: rig.parts, access: team.access, hosts, pages: createStaticFiles() });
  server.on('request', createRequestListener(app, rig.parts));

  const first = await prepare(rig);
  await writeTree(join(rig.root, 'second'), { 'a.md': 'a' });
  const second = await rig.client.projects.open({ body: { path: join(rig.root, 'second') } });
  const addRun = async (projectId: string): Promise<string> => {
    const body = { ...first, projectId, kind: 'run', model: 'rehearsal', isHeldBack: true } as const;
    const { workId } = await rig.client.works.create({ body });
    await team.database.write(
      `insert into works (work_id, project_id, root_id, is_run, phase, record)
       values ($1, $2, $1, true, 'Created', '{}')`,
      [workId, projectId],
    );
    return workId;
  };
  for (const projectId of [first.projectId, second.projectId])
    await team.database.write("insert into projects (project_id, document, source) values ($1, '{}', '{}')", [
      projectId,
    ]);
  const works = { own: await addRun(first.projectId), foreign: await addRun(second.projectId) };
  const ada = await team.addPerson('ada');
  await team.accounts.roles.set(first.projectId, ada.personId, 'run');
  const { token } = await team.accounts.tokens.create(ada.personId, { name: 'ci', scope: 'manage', days: 1 });
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = createApiClient({ baseUrl, token });
  return { team, ada, baseUrl, client, first: first.projectId, second: second.projectId, works, addRun };
}

describe('on a team server', () => {
  it('[H1] lists, counts, costs and streams contain only projects that the person may see', async () => {
    const { client, first, second, works, addRun } = await startTeamServer();
    expect((await client.projects.list()).projects.map(({ projectId }) => projectId)).toEqual([first]);
    const list = await client.works.list();
    expect(list.works.map(({ workId }) => workId)).toEqual([works.own]);
    expect(list.counts?.total).toBe(1);
    await expect(client.works.list({ query: { project: second } })).rejects.toMatchObject({ status: 404 });
    await expect(client.works.list({ query: { id: works.foreign } })).rejects.toMatchObject({ status: 404 });
    expect((await client.costs.show()).remaining).toBe(0);
    const stream = client.system.events();
    const snapshot = await stream.next();
    expect(JSON.stringify(snapshot.value)).not.toContain(works.foreign);
    const hidden = await addRun(second);
    const shown = await addRun(first);
    const seen = await until(stream, (message) => JSON.stringify(message).includes(shown));
    expect(JSON.stringify(seen)).not.toContain(hidden);
    expect(JSON.stringify(seen)).not.toContain(second);
  });

  it('[H1] streams of a shared connection are checked like others, and nobody adds to the connection of somebody else', async () => {
    const { client, baseUrl, team, works, second } = await startTeamServer();
    const muxId = '0b8f4a52-2c1f-4a63-9b0e-0a4f5be35d11';
    const carried = client.streams.carry({ muxId });
    const messages = carried.next();
    const add = (path: string, name: string) =>
      client.streams.add({ muxId, body: { name, path: `/api/v1${path}` } });
    await expect
      .poll(() =>
        add(`/works/${works.own}/events`, 'own').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    for (const path of [
      `/works/${works.foreign}/events`,
      `/projects/${second}/events`,
      `/projects/${second}/files/events`,
    ])
      await expect(add(path, 'other')).rejects.toMatchObject({ status: 404 });
    expect((await messages).value).toMatchObject({ data: { name: 'own' } });
    const bob = await team.addPerson('bob');
    const { token } = await team.accounts.tokens.create(bob.personId, { name: 'ci', scope: 'view', days: 1 });
    const other = createApiClient({ baseUrl, token });
    await expect(other.streams.remove({ muxId, body: { name: 'own' } })).rejects.toMatchObject({
      status: 410,
    });
    await carried.return();
  });

  it('[H1] an open stream ends when the person loses a role', async () => {
    const { client, team, ada, first } = await startTeamServer();
    const states: string[] = [];
    const stream = client.projects.events(
      { projectId: first },
      { onState: (state) => states.push(state), firstWaitMs: 1 },
    );
    await stream.next();
    const rest = (async () => {
      for await (const _ of stream);
    })();
    await team.accounts.roles.remove(first, ada.personId);
    // It connects again, and is refused.
    await expect(rest).rejects.toMatchObject({ status: 404 });
    expect(states).toContain('broken');
  });
});
