/** Where a project, or one of its Works, says that changes could not be merged. Nothing on a local server, which merges none. */
import { lazy, Suspense } from 'react';
import { useTeamServer } from '../state/team-server.ts';

interface ProjectConflictsProps {
  readonly projectId: string;
  readonly workId?: string;
}

export function ProjectConflicts(props: ProjectConflictsProps) {
  const isTeam = useTeamServer(({ me }) => me !== undefined);
  if (!isTeam) return undefined;
  return (
    <Suspense>
      <ConflictsNote {...props} />
    </Suspense>
  );
}

const ConflictsNote = lazy(() => import('../team/conflicts-note.tsx'));
