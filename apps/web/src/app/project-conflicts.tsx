/**
 * What a team server says about a project and its Works: changes that could not be merged, where its files come from, and who waits
 * for a worker. Nothing on a local one.
 */
import { lazy, Suspense } from 'react';
import { useMay, useTeamServer } from '../state/team-server.ts';

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

export function ProjectSource({ projectId }: Pick<ProjectConflictsProps, 'projectId'>) {
  const isTeam = useTeamServer(({ me }) => me !== undefined);
  const mayRun = useMay(projectId, 'run');
  if (!isTeam || !mayRun) return undefined;
  return (
    <Suspense>
      <SourceBar projectId={projectId} />
    </Suspense>
  );
}

const SourceBar = lazy(() => import('../team/source-bar.tsx'));

export function WaitingForWorker({ workId }: { readonly workId: string }) {
  const isTeam = useTeamServer(({ me }) => me !== undefined);
  if (!isTeam) return undefined;
  return (
    <Suspense>
      <WaitingNote workId={workId} />
    </Suspense>
  );
}

const WaitingNote = lazy(() => import('../team/waiting-note.tsx'));
