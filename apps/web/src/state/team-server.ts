/** Whether the page is served by a team server, who is signed in there, and what that server does not have. */
import type { Me } from '@crewagent/protocol/api/accounts';
import { includesRole, type Role } from '@crewagent/protocol/roles';
import { create } from 'zustand';

/** `me` is undefined on a local server. */
export const useTeamServer = create<{ readonly me: Me | undefined }>(() => ({ me: undefined }));

/** Whether another process than the server drives runs: a worker of the team. */
export function useStartsElsewhere(): boolean {
  return useTeamServer(({ me }) => me !== undefined);
}

/** Whether the server has an endpoint, such as `folders.list`; a local one has all of them. */
export function useOffers(endpoint: string): boolean {
  return useTeamServer(({ me }) => !me?.absent.includes(endpoint));
}

/** Whether the person may do what needs this role in a project; on a local server, everything. */
export function useMay(projectId: string, role: Role): boolean {
  return useTeamServer(({ me }) => !me || me.person.isAdmin || includesRole(me.roles[projectId], role));
}

/** Whether the person may change settings; on a local server, always. */
export function useIsAdmin(): boolean {
  return useTeamServer(({ me }) => !me || me.person.isAdmin);
}

/** Whether the person may install packages, which all projects share; on a local server, always. */
export function useMayInstall(): boolean {
  return useTeamServer(
    ({ me }) =>
      !me || me.person.isAdmin || Object.values(me.roles).some((role) => includesRole(role, 'manage')),
  );
}
