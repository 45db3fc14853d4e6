/** Initial variables of a workflow of micro steps: paths that its document defines, and values that a step finds out. Pure. */
import type { ImportScope } from '../source/import-scope.ts';
import type { SourceWorkflow } from '../source/recognise-source.ts';
import { expandKeys, resolveReference } from '../source/resolve-reference.ts';
import type { Fields, SourceDocument } from '../source/source-yaml.ts';
import { toOutputPath } from './step-outputs.ts';

interface GivenSource {
  readonly workflow: SourceWorkflow;
  /** The document of the workflow. */
  readonly root: SourceDocument;
  readonly scope: ImportScope;
}

/** Paths that the workflow defines for all its steps, as variables: files of the package, and files in a configured folder. */
export function toGivenPaths({ workflow, root, scope }: GivenSource): Fields {
  const references = scope.referencesOf(workflow.file, workflow.folder, root.fields);
  return Object.fromEntries(
    Object.entries(root.fields).flatMap(([name, value]): [string, string][] => {
      if (
        typeof value !== 'string' ||
        !/[/.]/.test(value) ||
        !/^[A-Za-z_]\w*$/.test(name) ||
        /\s/.test(value)
      )
        return [];
      if (scope.isConfigured(name) || name === 'installed_path') return [];
      const found = resolveReference(value, references);
      if (found.kind === 'file')
        return [[name, `@pkg/${scope.toPackagePath(found.path).replace(/\/$/, '')}`]];
      const path = toOutputPath(expandKeys(value, root.fields), scope.isConfigured);
      return path === undefined ? [] : [[name, path]];
    }),
  );
}

/** `spec_file: ''`: a value that a step finds out, for the steps after it. */
export function toRunValues(steps: readonly SourceDocument[]): Fields {
  return Object.fromEntries(
    steps.flatMap(({ fields }) =>
      Object.entries(fields).filter(([key, value]) => value === '' && /^[a-z]\w{1,60}$/.test(key)),
    ),
  );
}
