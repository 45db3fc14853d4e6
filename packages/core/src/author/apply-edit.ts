/** Applies an edit of an author to the texts of a package. Pure: throws for an edit that cannot be made, and changes nothing then. */
import type { AuthorEdit } from '@crewagent/protocol/author';
import { addAgent, deleteAgent, renameAgent, setAgent } from './edit-agents.ts';
import { addEdge, disconnect, setEdge } from './edit-edges.ts';
import { addNode, deleteNode, duplicateNode, renameNode, setEntry, setNode, setStep } from './edit-nodes.ts';
import { listWorkflows } from './list-workflows.ts';
import { createPackageTexts, type PackageTexts, type TextChanges } from './package-texts.ts';

/** Returns the files that differ afterwards. `paths`: of all files of the package. */
export async function applyEdit(
  files: ReadonlyMap<string, string>,
  paths: ReadonlySet<string>,
  edit: AuthorEdit,
): Promise<TextChanges> {
  const texts = createPackageTexts(files, paths);
  await apply(texts, edit);
  return texts.changes();
}

async function apply(texts: PackageTexts, edit: AuthorEdit): Promise<void> {
  switch (edit.kind) {
    case 'addNode':
      return addNode(texts, edit);
    case 'renameNode':
      return renameNode(texts, edit);
    case 'setNode':
      return setNode(texts, edit);
    case 'setStep':
      return setStep(texts, edit);
    case 'deleteNode':
      return deleteNode(texts, edit);
    case 'duplicateNode':
      return duplicateNode(texts, edit);
    case 'setEntry':
      return setEntry(texts, edit);
    case 'connect':
      return addEdge(texts, edit.graph, { from: edit.from, to: edit.to, label: edit.label });
    case 'setEdge':
      return setEdge(texts, edit);
    case 'disconnect':
      return disconnect(texts, edit);
    case 'addAgent':
      return addAgent(texts, edit);
    case 'renameAgent':
      return renameAgent(
        texts,
        edit,
        listWorkflows(texts).map(({ graph }) => graph),
      );
    case 'setAgent':
      return setAgent(texts, edit);
    case 'deleteAgent':
      return deleteAgent(texts, edit);
    case 'setText':
      texts.read(edit.file);
      return texts.write(edit.file, edit.text);
  }
}
