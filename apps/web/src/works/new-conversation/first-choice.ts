/** Initial choices: the package from the route, and the kind of Work that packages are for. Pure. */
import type { PackageContents } from '../../api/works-queries.ts';
import type { Kind } from './kind-choice.tsx';

/** The kind for the package from the route; else an agent with a menu, else a workflow, if there is one. */
export function firstKind(packages: readonly PackageContents[], wantedHash?: string): Kind {
  const wanted = packages.find(({ package: { hash } }) => hash === wantedHash);
  if (wanted) return wanted.workflows.length > 0 ? 'workflow' : 'agent';
  if (packages.some(({ agents }) => agents.some(({ menu }) => menu.length > 0))) return 'agent';
  return packages.some(({ workflows }) => workflows.length > 0) ? 'workflow' : 'chat';
}

/** Puts the package from the route first, because the first one is preselected. */
export function withFirst(
  packages: readonly PackageContents[],
  wantedHash: string | undefined,
): readonly PackageContents[] {
  const isWanted = ({ package: { hash } }: PackageContents): boolean => hash === wantedHash;
  return [...packages.filter(isWanted), ...packages.filter((other) => !isWanted(other))];
}
