/**
 * Context shared by all converters of one import: the source, the configuration of its modules, the ids of its workflows, and
 * the assets that are copied because something refers to them.
 */
import { posix } from 'node:path';
import type { Customization } from './customization.ts';
import { type GeneratedDocument, generatedPath, toGenerated } from './generated-documents.ts';
import type { ImportNotes } from './import-notes.ts';
import type { ModuleConfig } from './module-questions.ts';
import type { SourceTree } from './read-source.ts';
import { folderOf, isOneFile, type SourceModule, type SourceWorkflow } from './recognise-source.ts';
import { findMentions, lineOf, type ReferenceScope, resolveReference } from './resolve-reference.ts';
import type { Fields, SourceDocument } from './source-yaml.ts';

export interface ImportScope {
  readonly tree: SourceTree;
  readonly notes: ImportNotes;
  readonly modules: readonly SourceModule[];
  readonly config: ModuleConfig;
  readonly customization: Customization;
  /** Package path → source path of files that several workflows or agents share. */
  readonly assets: ReadonlyMap<string, string>;
  /** Documents that texts refer to and the source does not contain. */
  readonly generated: ReadonlySet<GeneratedDocument>;
  isConfigured(name: string): boolean;
  /** The id of an imported workflow by its file or folder in the source. */
  workflowIdOf(path: string): string | undefined;
  /** The id of an imported workflow by the name of its skill. */
  workflowIdOfSkill(name: string): string | undefined;
  referencesOf(file: string, folder: string, keys: Fields): ReferenceScope;
  /** The package path of a file or folder of the source; a file outside of all workflows becomes an asset. */
  toPackagePath(path: string): string;
  /** The keys whose source paths become package paths, and `references`: path as written in the body → package path. */
  rewriteReferences(document: SourceDocument & { readonly file: string }, owner: ReferenceOwner): Fields;
}

export interface ReferenceOwner {
  /** Source folder; ends in `/`. */
  readonly folder: string;
  readonly keys: Fields;
  /** Whether other workflows are in the folder; its files are in the folder of the first one then. */
  readonly isShared?: boolean;
  /** Whether a file is a step of the workflow, which is reached by edges only. */
  isStep(path: string): boolean;
}

export interface ScopeSources extends Pick<ImportScope, 'notes' | 'modules' | 'config' | 'customization'> {
  readonly workflows: readonly { readonly id: string; readonly workflow: SourceWorkflow }[];
}

export function createImportScope({
  notes,
  modules,
  config,
  customization,
  workflows,
}: ScopeSources): ImportScope {
  const { tree } = customization;
  const assets = new Map<string, string>();
  const generated = new Set<GeneratedDocument>();
  const byFile = new Map(workflows.map(({ id, workflow }) => [workflow.file, id]));
  const owners = workflows
    .filter(({ workflow }) => !isOneFile(workflow.kind))
    .sort((a, b) => b.workflow.folder.length - a.workflow.folder.length);

  const referencesOf = (file: string, folder: string, keys: Fields): ReferenceScope => ({
    tree,
    modules,
    file,
    folder,
    keys: { ...customization.variablesOf(folder), ...keys },
  });
  const customized = new Set(
    workflows.flatMap(({ workflow }) => Object.keys(customization.variablesOf(workflow.folder))),
  );

  const toPackagePath = (path: string): string => {
    const id = byFile.get(path);
    if (id !== undefined) return `workflows/${id}/workflow.md`;
    const owner = owners.find(({ workflow }) => workflow.folder !== '' && path.startsWith(workflow.folder));
    if (owner) return `workflows/${owner.id}/${path.slice(owner.workflow.folder.length)}`;
    return addAsset(path);
  };

  /** An asset also adds the files it refers to. */
  const addAsset = (path: string): string => {
    const module = modules.find(({ root }) => path.startsWith(root));
    const target = module ? `assets/${module.code}/${path.slice(module.root.length)}` : `assets/${path}`;
    if (path.endsWith('/') || assets.has(target)) return target;
    assets.set(target, path);
    const scope = referencesOf(path, folderOf(path), {});
    for (const { written } of findMentions(tree.text(path) ?? '', 0)) {
      const found = resolveReference(written, scope);
      if (found.kind === 'file' && found.isExact && found.path !== path) toPackagePath(found.path);
    }
    return target;
  };

  return {
    tree,
    notes,
    modules,
    config,
    customization,
    assets,
    generated,
    isConfigured: (name) => Object.hasOwn(config.values, name) || customized.has(name),
    workflowIdOf: (path) => byFile.get(path) ?? owners.find(({ workflow }) => workflow.folder === path)?.id,
    workflowIdOfSkill: (name) =>
      workflows.find(({ id, workflow }) => posix.basename(workflow.folder) === name || id === name)?.id,
    referencesOf,
    toPackagePath,
    rewriteReferences: (document, owner) =>
      rewrite(
        document,
        owner,
        { referencesOf, toPackagePath, notes, generated },
        tree.text(document.file) ?? '',
      ),
  };
}

function rewrite(
  document: SourceDocument & { readonly file: string },
  { folder, keys, isStep, isShared = false }: ReferenceOwner,
  {
    referencesOf,
    toPackagePath,
    notes,
    generated,
  }: Pick<ImportScope, 'referencesOf' | 'toPackagePath' | 'notes'> & { generated: Set<GeneratedDocument> },
  source: string,
): Fields {
  const { file, body, bodyLine } = document;
  const lines = source.split('\n');
  const scope = referencesOf(file, folder, { ...keys, ...document.fields });
  const seen = new Map<string, string | undefined>();
  const packaged = (written: string, line: number | undefined, text: string): string | undefined => {
    if (!seen.has(written)) seen.set(written, toPath(written, line, text));
    return seen.get(written);
  };
  const toPath = (written: string, line: number | undefined, text: string): string | undefined => {
    const found = resolveReference(written, scope);
    const document = toGenerated(written, found);
    if (document) {
      generated.add(document);
      return `@pkg/${generatedPath(document)}`;
    }
    if (found.kind === 'missing') {
      // A body without its steps has other line numbers than the file.
      const isThere = line !== undefined && lines[line - 1]?.includes(written);
      const at = isThere ? line : lineOf(source, written);
      const cited = at === undefined || isThere ? text : lines[at - 1];
      notes.addUnresolved(written, { file, line: at, text: cited }, `${found.message}.`);
    }
    // A step by its installed path is known, so that reading it is rejected as a step; keys stay names of steps.
    if (found.kind !== 'file' || (isStep(found.path) && !/_?bmad\//.test(written))) return undefined;
    return `@pkg/${toPackagePath(found.path).replace(/\/$/, '')}`;
  };
  const isStepKey = (value: string): boolean => {
    const found = resolveReference(value, scope);
    return found.kind === 'file' && isStep(found.path);
  };
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(document.fields)) {
    if (typeof value !== 'string' || !/[/\\]|\.\w{2,4}$/.test(value) || /\s/.test(value)) continue;
    const line = lineOf(source, `${key}:`);
    const path = packaged(value, line, lines[(line ?? 0) - 1] ?? `${key}: ${value}`);
    if (path !== undefined && !isStepKey(value)) fields[key] = path;
  }
  const references: Record<string, string> = {};
  for (const { written, line, text } of findMentions(body, bodyLine)) {
    if ((/^[\w-]+\.\w+$/.test(written) && !isShared) || Object.hasOwn(references, written)) continue;
    const path = packaged(written, line, text);
    if (path !== undefined && path !== written) references[written] = path;
  }
  return Object.keys(references).length > 0 ? { ...fields, references } : fields;
}

/** Names in `{braces}` and `{{braces}}`. */
export function namesInBraces(text: string): Set<string> {
  return new Set([...text.matchAll(/\{\{?([A-Za-z_][\w-]{0,80})\}/g)].map(([, name]) => name ?? ''));
}

/** Files in the folder of a workflow that are neither steps nor workflows, at the same relative path. */
export function toSideFiles(
  workflow: SourceWorkflow,
  packageFolder: string,
  { tree, workflowIdOf }: Pick<ImportScope, 'tree' | 'workflowIdOf'>,
): Map<string, string> {
  // Of workflows in one folder the first has the files; the others refer to them there.
  const owner = workflowIdOf(workflow.folder);
  const isOwner = packageFolder === `workflows/${owner}/`;
  if (isOneFile(workflow.kind) || (workflow.sharesFolder && !isOwner)) return new Map();
  const steps = new Set(workflow.steps);
  const isOther = (path: string): boolean => {
    for (let at = folderOf(path); at.length > workflow.folder.length; at = folderOf(at.slice(0, -1)))
      if (workflowIdOf(at) !== undefined) return true;
    return false;
  };
  return new Map(
    tree.paths
      .filter((path) => path.startsWith(workflow.folder) && !steps.has(path) && path !== workflow.file)
      .filter((path) => workflowIdOf(path) === undefined && !isOther(path) && !isLicence(path))
      .map((path) => [packageFolder + path.slice(workflow.folder.length), path]),
  );
}

export function isLicence(path: string): boolean {
  return /^(?:licen[cs]e|copying)(?:\.\w+)?$/i.test(posix.basename(path));
}
