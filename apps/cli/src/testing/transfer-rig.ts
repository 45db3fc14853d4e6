/** A team server with people, and a laptop with a run that goes there. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { createApiClient, createCalls } from '@crewagent/protocol/api/client';
import type { Role } from '@crewagent/protocol/roles';
import { onTestFinished } from 'vitest';
import { tempFolder } from '../../../../packages/core/src/testing/temp-folder.ts';
import { HELLO_BRANCH } from '../../../../packages/server/src/testing/server-rig.ts';
import { createAccounts } from '../../../../packages/team/src/accounts/accounts.ts';
import type { Database } from '../../../../packages/team/src/database/database.ts';
import { startTeamServer } from '../../../../packages/team/src/http/serve-team.ts';
import { testDatabase } from '../../../../packages/team/src/testing/team-rig.ts';
import { TEST_KEYS } from '../../../../packages/team/src/testing/test-keys.ts';
import { createCliRig } from './cli-rig.ts';

/** A server with a project, and people with tokens. */
export async function startTeam() {
  const database: Database = await testDatabase();
  const bugs: unknown[] = [];
  const { url, stop } = await startTeamServer({
    databaseUrl: database.url,
    scratch: await tempFolder(),
    keys: TEST_KEYS,
    env: {},
    onBug: (_, error) => void bugs.push(error),
  });
  onTestFinished(stop);
  const accounts = createAccounts({ database });
  const join = async (name: string, isAdmin = false) => {
    const { personId } = await accounts.people.create({ email: `${name}@example.com`, name, isAdmin });
    const { token } = await accounts.tokens.create(personId, { name: 'cli', scope: 'manage', days: 1 });
    const options = { baseUrl: url, token };
    return {
      ...{ personId, token, session: session(personId) },
      ...{ api: createApiClient(options), team: createCalls(TEAM_ENDPOINTS, options) },
    };
  };
  const session = async (personId: string) => {
    const token = await accounts.sessions.open(personId, { userAgent: 'test', address: '' });
    const send = ((input, init) =>
      fetch(input, { ...init, headers: { ...init?.headers, cookie: `crewagent=${token}` } })) as typeof fetch;
    return createCalls(TEAM_ENDPOINTS, { baseUrl: url, token: undefined, fetch: send });
  };
  const ada = await join('ada', true);
  const { projectId } = await (await ada.session).teamProjects.create({
    body: { name: 'Plans', source: { kind: 'upload' } },
  });
  const give = (personId: string, role: Role) => accounts.roles.set(projectId, personId, role);
  return { database, url, projectId, ada, join, give, bugs };
}

/** A laptop on which a run of hello-branch waits for an answer. */
export async function startRun(token: string) {
  const rig = await createCliRig({ CREWAGENT_TOKEN: token });
  await writeFile(join(rig.project, 'own.txt'), 'mine');
  const { out } = await rig.run(
    'run',
    HELLO_BRANCH,
    '--project',
    rig.project,
    '--model',
    'rehearsal',
    '--json',
  );
  const { runId } = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as { runId: string };
  return { rig, runId };
}

export interface Shown {
  readonly record: { readonly phase: string };
  readonly view: { readonly state: unknown; readonly timeline: readonly unknown[] };
}
