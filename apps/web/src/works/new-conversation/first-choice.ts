/** What is chosen before anybody chose: a package that one came with, and what packages were brought in for. Pure. */
import type { PackageContents } from '../../api/works-queries.ts';
import type { Kind } from './kind-choice.tsx';

/** What the package one came with is begun with; else an agent with a menu, else a workflow, where there is one. */
export function firstKind(packages: readonly PackageContents[], wantedHash?: string): Kind {
  const wanted = packages.find(({ package: { hash } }) => hash === wantedHash);
  if (wanted) return wanted.workflows.length > 0 ? 'workflow' : 'agent';
  if (packages.some(({ agents }) => agents.some(({ menu }) => menu.length > 0))) return 'agent';
  return packages.some(({ workflows }) => workflows.length > 0) ? 'workflow' : 'chat';
}

/** The package one came with before the others: what is first is chosen. */
export function withFirst(
  packages: readonly PackageContents[],
  wantedHash: string | undefined,
): readonly PackageContents[] {
  const isWanted = ({ package: { hash } }: PackageContents): boolean => hash === wantedHash;
  return [...packages.filter(isWanted), ...packages.filter((other) => !isWanted(other))];
}
