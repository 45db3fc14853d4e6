/**
 * Checks the texts of a package (steps, workflow.md, templates, scripts, prompts) for instructions a model could not follow:
 * missing files, steps without an edge, unknown variables, unavailable tools. Texts are prose, so all findings are warnings,
 * with the line.
 */
import { posix } from 'node:path';
import { BUILTIN_TOOLS } from '@crewagent/protocol/tool-effects';
import { type MarkdownLine, markdownLines, type NamedFile, namedFilesIn } from '../../base/named-files.ts';
import type { Findings } from '../findings/findings.ts';
import { type FindSimilar, findSimilar } from '../findings/similar-name.ts';

/** Far above any real text; the rest of a longer text is not checked. */
const MAX_TEXT_CHARS = 262_144;

export interface PackageText {
  readonly file: string;
  readonly text: string;
  /** Line of the file where the text begins. A function, because finding it in frontmatter needs the full YAML parser. */
  readonly firstLine?: () => number;
  /** Set if the text is a value in a JSON document. */
  readonly pointer?: string;
}

export interface TextView {
  readonly paths: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  readonly findSimilar: FindSimilar;
  /** Folders to resolve relative paths against, after the folder of the text. */
  readonly bases: readonly string[];
  /** Names that `{name}` may refer to. */
  readonly variables: readonly ReadonlySet<string>[];
  /** Step files that share an edge with this text's node; undefined if the text is not a step. */
  readonly neighbours?: ReadonlySet<string>;
  /** Step files of the workflow. */
  readonly steps?: ReadonlySet<string>;
  /** In a template, unknown names are for the model to fill in. */
  readonly isTemplate?: boolean;
}

export function checkText(source: PackageText, view: TextView, findings: Findings): void {
  const lines = [...markdownLines(source.text.slice(0, MAX_TEXT_CHARS))];
  checkFiles(lines, source, view, findings);
  checkVariables(lines, source, view, findings);
  if (view.isTemplate !== true) checkTools(lines, source, findings);
}

type Lines = readonly MarkdownLine[];

/** `line`: counted from the beginning of the text. */
function locationOf({ file, pointer, firstLine }: PackageText, line: number) {
  return pointer === undefined ? { file, line: (firstLine?.() ?? 1) + line - 1 } : { file, pointer };
}

function checkFiles(lines: Lines, source: PackageText, view: TextView, findings: Findings): void {
  const seen = new Set<string>();
  for (const named of namedFilesIn(lines)) {
    if (seen.has(named.path)) continue;
    seen.add(named.path);
    const found = resolveNamed(named.path, source.file, view);
    if (found === undefined) {
      if (belongsToPackage(named, source.file, view)) addMissing(named, source, view, findings);
    } else if (view.neighbours && view.steps?.has(found) && !view.neighbours.has(found)) {
      findings.add('STEP_LINK_WITHOUT_EDGE', {
        ...locationOf(source, named.line),
        message: `the text names the step "${found.slice(0, 80)}", but no edge leads from this node to that step`,
        fix: 'Add the edge to workflow.graph.json, or remove the link; a run can only follow edges.',
      });
    }
  }
}

/** A path in the package; undefined if there is no such file. */
function resolveNamed(path: string, from: string, view: TextView): string | undefined {
  return candidatesOf(path, from, view).find((candidate) => view.paths.has(candidate));
}

function candidatesOf(path: string, from: string, { bases }: Pick<TextView, 'bases'>): string[] {
  const [rooted] = /^(?:@pkg|\{package-root\})\//.exec(path) ?? [];
  if (rooted) return [posix.normalize(path.slice(rooted.length))];
  return [posix.dirname(from), ...bases].map((base) => posix.join(base, path));
}

/** A bare name may be a file of the project; a path in a folder of the package, or the name of a step, must be in the package. */
function belongsToPackage({ path, isExplicit }: NamedFile, from: string, view: TextView): boolean {
  if (path.replace('{package-root}', '').includes('{')) return false;
  if (isExplicit || (view.neighbours && /^step-\w[\w-]*\.md$/.test(path))) return true;
  const [first = '', ...rest] = path.split('/');
  return rest.length > 0 && candidatesOf(first, from, view).some((candidate) => view.folders.has(candidate));
}

function addMissing(
  { path, line }: NamedFile,
  source: PackageText,
  view: TextView,
  findings: Findings,
): void {
  const name = posix.basename(path);
  const similar = view.findSimilar(
    name,
    [...view.paths].map((known) => posix.basename(known)),
  );
  const matches = [...view.paths].filter((known) => posix.basename(known) === similar);
  const nearest =
    matches.find((known) => known.startsWith(posix.dirname(posix.dirname(source.file)))) ?? matches[0];
  findings.add('REFERENCE_MISSING', {
    ...locationOf(source, line),
    message: `the text names "${path.slice(0, 120)}", which is not in the package`,
    fix: nearest
      ? `Did you mean "${nearest.slice(0, 120)}"?`
      : 'Add the file, or correct the path; write @project/… for a file of the project.',
  });
}

const BRACES = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}|\{([A-Za-z_][\w-]*)\}/g;
const PATH_NAME = /(?:File|Path|Folder|Dir|Template|Workflow|Task|CSV|_file|_path|_folder|_dir|-root)$/;

/** Prose may contain `{count}` for the model to fill in; in a path, or close to a known name, it must be a variable. */
function checkVariables(lines: Lines, source: PackageText, view: TextView, findings: Findings): void {
  const seen = new Set<string>();
  for (const { text, line, code } of lines) {
    if (!text.includes('{') || (code !== undefined && view.isTemplate !== true)) continue;
    for (const match of text.matchAll(BRACES)) {
      const name = match[1] ?? match[2] ?? '';
      if (seen.has(name) || view.variables.some((names) => names.has(name))) continue;
      seen.add(name);
      const end = match.index + match[0].length;
      const isInPath = PATH_NAME.test(name) || text[end] === '/' || text[match.index - 1] === '/';
      const similar = view.findSimilar(name, namesOf(view.variables));
      if (similar === undefined && (match[2] === undefined || !isInPath || view.isTemplate === true))
        continue;
      findings.add('VARIABLE_UNKNOWN', {
        ...locationOf(source, line),
        message: `nothing sets the variable "${name.slice(0, 80)}"`,
        fix: similar
          ? `Did you mean {${similar}}?`
          : 'Set it under "variables" in workflow.md, name it in "setsVariables" of an earlier step, or make it a key of this step.',
      });
    }
  }
}

function* namesOf(sets: readonly ReadonlySet<string>[]): Generator<string> {
  for (const names of sets) yield* names;
}

const BUILTIN = new Set(BUILTIN_TOOLS.flatMap((name) => [name, name.replace('.', '_')]));

interface MissingTool {
  readonly what: string;
  /** Continues "the text relies on …, which …". */
  readonly state: string;
  readonly pattern: RegExp;
  readonly fix: string;
}

/** Capabilities that instructions written for other programs rely on. */
const MISSING_TOOLS: readonly MissingTool[] = [
  {
    what: 'a shell',
    state: 'is off unless a project allows commands',
    pattern:
      /`(?:npm|npx|git|node|python3?|pip|curl|wget|bash|sh|docker|make|cargo) [^`]{1,200}`|\bBash tool\b/,
    fix: 'Say what to do without it; a person allows commands with "crewagent shell enable".',
  },
  {
    what: 'web search',
    state: 'is not built in',
    pattern: /\bweb ?search|\bsearch the (?:web|internet)\b|\bWeb(?:Search|Fetch)\b|联网搜索|网络搜索/i,
    fix: 'Say what to do without it, or give the agent a tool server that provides it.',
  },
  {
    what: 'sub-agents',
    state: 'are not built in',
    pattern: /\bsub-?agents?\b|\bTask tool\b|子代理|子智能体/i,
    fix: 'Let the agent of the step do the work, or add nodes with their own agents.',
  },
];

const BLOCKS = new Set(['bash', 'sh', 'shell', 'zsh', 'console', 'powershell', 'cmd', 'bat']);

function checkTools(lines: Lines, source: PackageText, findings: Findings): void {
  const seen = new Set<string>();
  const add = (what: string, line: number, message: string, fix: string): void => {
    if (seen.has(what)) return;
    seen.add(what);
    findings.add('TOOL_UNAVAILABLE', { ...locationOf(source, line), message, fix });
  };
  // Most texts mention none of them.
  const mentioned = new Set(MISSING_TOOLS.filter(({ pattern }) => pattern.test(source.text)));
  for (const { text, line, code } of lines) {
    for (const tool of MISSING_TOOLS) {
      const { what, state, pattern, fix } = tool;
      const isBlock = what === 'a shell' && code !== undefined && BLOCKS.has(code);
      if (isBlock || (code === undefined && mentioned.has(tool) && pattern.test(text)))
        add(what, line, `the text relies on ${what}, which ${state}`, fix);
    }
    if (!text.includes('`')) continue;
    for (const [, name = ''] of text.matchAll(/`((?:fs|ui|runtime)[._][a-z_]{3,40})`/g)) {
      if (BUILTIN.has(name) || /\.(?:json|csv|yaml|yml|txt|html)$/.test(name)) continue;
      const similar = findSimilar(name, BUILTIN_TOOLS);
      const fix = similar ? `Did you mean ${similar}?` : `The tools are ${BUILTIN_TOOLS.join(', ')}.`;
      add(name, line, `there is no tool "${name}"`, fix);
    }
  }
}
