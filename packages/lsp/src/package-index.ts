/**
 * The names that the files of a package define, with their positions: nodes, agents, workflows and variables. Reads what it can of
 * files that are being edited; what is wrong with them is for validation to say.
 */
import { posix } from 'node:path';
import { type Node, findNodeAtLocation as nodeAt, parseTree } from 'jsonc-parser';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';

export type NameKind = 'node' | 'agent' | 'workflow' | 'variable';

export interface Definition {
  readonly kind: NameKind;
  readonly name: string;
  /** Path in the package. */
  readonly file: string;
  /** Offset in the text of the file. */
  readonly start: number;
  /** For people: a title, or where the name is set. */
  readonly detail: string | undefined;
  /** Path of the step of a node, or of the workflow.md of a workflow. */
  readonly target?: string | undefined;
}

export interface PackageIndex {
  readonly paths: ReadonlySet<string>;
  readonly definitions: readonly Definition[];
}

/** The YAML parser gets no longer text than this. */
const MAX_FRONTMATTER_CHARS = 65_536;

export function indexFile(file: string, text: string): Definition[] {
  if (file.endsWith('.md')) return variablesIn(file, text);
  const root = file.endsWith('.json') ? parseTree(text) : undefined;
  if (!root) return [];
  if (file === 'bmad.json') return idsIn(root, ['workflows'], { kind: 'workflow', file });
  if (file.endsWith('graph.json')) return idsIn(root, ['nodes'], { kind: 'node', file });
  return idsIn(root, ['agents'], { kind: 'agent', file });
}

/** The index with what a file defines while it is being edited. */
export function withText(index: PackageIndex, file: string, text: string): PackageIndex {
  const others = index.definitions.filter((definition) => definition.file !== file);
  return { ...index, definitions: [...others, ...indexFile(file, text)] };
}

/** The definition that a name in `file` means: its own workflow's first. */
export function findDefinitions(
  { definitions }: PackageIndex,
  kind: NameKind,
  name: string,
  file: string,
): Definition[] {
  const found = definitions.filter((definition) => definition.kind === kind && definition.name === name);
  const near = found.filter((definition) => shareFolder(definition.file, file));
  return near.length > 0 ? near : found;
}

/** Whether a file is of the workflow in whose folder the definition is. */
function shareFolder(definition: string, file: string): boolean {
  const folder = posix.dirname(definition);
  return folder === '.' ? !file.startsWith('workflows/') : file.startsWith(`${folder}/`);
}

function idsIn(
  root: Node,
  list: readonly string[],
  { kind, file }: { kind: NameKind; file: string },
): Definition[] {
  return (nodeAt(root, [...list])?.children ?? []).flatMap((item) => {
    const id = nodeAt(item, ['id']);
    const text = (...path: string[]): string | undefined => {
      const value: unknown = nodeAt(item, path)?.value;
      return typeof value === 'string' ? value : undefined;
    };
    if (typeof id?.value !== 'string') return [];
    const detail = text('title') ?? text('metadata', 'name') ?? text('displayName');
    return [
      { kind, name: id.value, file, start: id.offset + 1, detail, target: text('file') ?? text('workflow') },
    ];
  });
}

function variablesIn(file: string, text: string): Definition[] {
  const { yaml, start } = toFrontmatter(text);
  if (yaml === '' || yaml.length > MAX_FRONTMATTER_CHARS) return [];
  const { contents } = parseDocument(yaml, { logLevel: 'silent' });
  if (!isMap(contents)) return [];
  const sets = contents.get('setsVariables', true);
  const initial = contents.get('variables', true);
  const names = [
    ...(isSeq(sets) ? sets.items : []),
    ...(isMap(initial) ? initial.items.map(({ key }) => key) : []),
  ];
  return names.flatMap((name) =>
    isScalar(name) && typeof name.value === 'string'
      ? [
          {
            kind: 'variable' as const,
            name: name.value,
            file,
            start: start + (name.range?.[0] ?? 0),
            detail: `set in ${file}`,
          },
        ]
      : [],
  );
}

/** The YAML between the fences, and its offset; empty if there is none, to the end of the text if it is not closed. */
export function toFrontmatter(text: string): { yaml: string; start: number } {
  const [open] = /^\uFEFF?---[ \t]*\r?\n/.exec(text) ?? [''];
  if (open === '') return { yaml: '', start: 0 };
  const rest = text.slice(open.length);
  const end = rest.search(/^---[ \t]*$/m);
  return { yaml: end < 0 ? rest : rest.slice(0, end), start: open.length };
}
