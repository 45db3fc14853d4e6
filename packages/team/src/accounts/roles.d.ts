import type { Member, ProjectPolicy } from '@crewagent/protocol/api/accounts';
import type { Role } from '@crewagent/protocol/roles';
import type { Database, Queries } from '../database/database.ts';
export declare function createRoles(database: Database): {
  /** Ids of all projects. */
  projects(): Promise<string[]>;
  members(projectId: string): Promise<Member[]>;
  set(projectId: string, personId: string, role: Role): Promise<void>;
  remove(projectId: string, personId: string): Promise<void>;
  policy(projectId: string): Promise<ProjectPolicy>;
  setPolicy(projectId: string, { needsSecondPerson }: ProjectPolicy): Promise<void>;
  recordStarter(workId: string, personId: string): Promise<void>;
  /** Throws if the project of the Work demands another person. Also if nobody knows who started it. */
  requireSecondPerson(workId: string, personId: string): Promise<void>;
};
/** Throws NOT_FOUND for an unknown person or project. */
export declare function setRole(
  queries: Queries,
  {
    projectId,
    personId,
    role,
  }: {
    projectId: string;
    personId: string;
    role: Role;
  },
): Promise<void>;
