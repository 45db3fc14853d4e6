/** The secrets of the project that the current call works for, else those of the team. */
import type { StoredSecrets } from '@crewagent/core/store';
import type { createTeamSecrets } from '../secrets/team-secrets.ts';

export function secretsOfCurrent(
  { team, ofProject }: ReturnType<typeof createTeamSecrets>,
  projectIdNow: () => string | undefined,
): StoredSecrets {
  const known = new Map<string, StoredSecrets>();
  const current = (): StoredSecrets => {
    const projectId = projectIdNow();
    if (projectId === undefined) return team;
    const secrets = known.get(projectId) ?? ofProject(projectId);
    known.set(projectId, secrets);
    return secrets;
  };
  return {
    list: (model, address) => current().list(model, address),
    has: (model) => current().has(model),
    write: (model, key) => current().write(model, key),
    remove: (model, name) => current().remove(model, name),
    readServer: (server, address) => current().readServer(server, address),
    writeServer: (server, secrets) => current().writeServer(server, secrets),
    readLogin: (server, address) => current().readLogin(server, address),
    writeLogin: (server, login) => current().writeLogin(server, login),
    whileRenewing: (work) => current().whileRenewing(work),
    changeKeys: (change) => current().changeKeys(change),
  };
}
