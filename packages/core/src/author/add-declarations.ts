/** Adds files that steps used to what they declare, in the folder of the package; comments and everything else in it stay. */
import type { UndeclaredFile } from '@crewagent/protocol/api/file-use';
import { CrewError } from '../base/crew-error.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { openAuthorFolder } from './author-folder.ts';

export interface AddedDeclarations {
  readonly added: readonly UndeclaredFile[];
  /** The folder does not have their step. */
  readonly left: readonly UndeclaredFile[];
}

export async function addDeclarations(
  folder: string,
  files: readonly UndeclaredFile[],
  context: ValidationContext,
): Promise<AddedDeclarations> {
  const author = openAuthorFolder(folder, context);
  try {
    const added: UndeclaredFile[] = [];
    const left: UndeclaredFile[] = [];
    let model = await author.model();
    if (model.isMethod)
      throw new CrewError(
        'USAGE',
        'This package is written in one file. Add the files to "reads" and "produces" of its steps there.',
      );
    for (const [key, own] of groupByStep(files)) {
      const [ref, nodeId] = JSON.parse(key) as [string, string];
      const workflow = model.workflows.find(({ document }) => document === ref);
      const node = workflow?.nodes.find(({ id }) => id === nodeId);
      if (!workflow || !node) {
        left.push(...own);
        continue;
      }
      const namesOf = (access: UndeclaredFile['access'], before: readonly string[]): string[] => {
        const names = own.filter((file) => file.access === access).map(({ path }) => toDeclared(path));
        return [...new Set([...before, ...names])];
      };
      const fields = { inputs: namesOf('read', node.inputs), outputs: namesOf('write', node.outputs) };
      const seen = Object.fromEntries(model.files.map(({ path, sha256 }) => [path, sha256]));
      model = await author.apply({ kind: 'setNode', graph: workflow.graph, nodeId, fields }, seen);
      added.push(...own);
    }
    return { added, left };
  } finally {
    await author.close();
  }
}

function groupByStep(files: readonly UndeclaredFile[]): Map<string, UndeclaredFile[]> {
  const groups = new Map<string, UndeclaredFile[]>();
  for (const file of files) {
    const key = JSON.stringify([file.workflowRef, file.nodeId]);
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return groups;
}

/** As authors write it; what is a wildcard in a glob is none in a name. */
function toDeclared(path: string): string {
  return path.replace(/^@project\//, '').replace(/[*?[{]/g, '[$&]');
}
