/** The secrets that a Work uses: those of its project, then those of the team. */
import { createQueue, createSecretStore, type StoredSecrets } from '@crewagent/core/store';
import type { Database } from '../database/database.ts';
import type { KeyRing } from './key-ring.ts';
import { createSecretDocument } from './secret-document.ts';

export interface TeamSecretsOptions {
  readonly database: Database;
  readonly keys: KeyRing;
}

export function createTeamSecrets(options: TeamSecretsOptions) {
  const { database } = options;
  const inOrder = createQueue();
  const whileRenewing: StoredSecrets['whileRenewing'] = (work) =>
    inOrder(() =>
      database.transaction(async ({ write }) => {
        await write("select pg_advisory_xact_lock(hashtextextended('crewagent logins', 0))");
        return work();
      }),
    );
  const open = (projectId?: string): StoredSecrets =>
    createSecretStore(createSecretDocument({ ...options, projectId }), whileRenewing);
  const team = open();
  return {
    team,
    /** Reads both, writes those of the project. */
    ofProject(projectId: string): StoredSecrets {
      const own = open(projectId);
      return {
        ...own,
        async list(model, address) {
          const keys = await own.list(model, address);
          const names = new Set(keys.map(({ name }) => name));
          return [...keys, ...(await team.list(model, address)).filter(({ name }) => !names.has(name))];
        },
        has: async (model) => (await own.has(model)) || (await team.has(model)),
        readServer: async (server, address) => ({
          ...(await team.readServer(server, address)),
          ...(await own.readServer(server, address)),
        }),
        readLogin: async (server, address) =>
          (await own.readLogin(server, address)) ?? (await team.readLogin(server, address)),
      };
    },
  };
}
