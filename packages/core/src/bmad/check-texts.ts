/**
 * Looks over the texts of a package (steps, workflow.md, templates, scripts, prompts) for what a model could not follow:
 * files that are not there, steps that no edge leads to, variables that nothing sets, tools that runs do not have.
 * Texts are prose, so all of it is a warning, with the line.
 */
import { posix } from 'node:path';
import { BUILTIN_TOOLS } from '@crewagent/protocol/tool-effects';
import { findNamedFiles, markdownLines, type NamedFile } from '../base/named-files.ts';
import type { Findings } from './findings.ts';
import { type FindSimilar, findSimilar } from './similar-name.ts';

/** Far above any real text; more than this is not looked at. */
const MAX_TEXT_CHARS = 262_144;

export interface PackageText {
  readonly file: string;
  readonly text: string;
  readonly firstLine?: number;
  /** Where the text is a value in a JSON document. */
  readonly pointer?: string;
}

export interface TextView {
  readonly paths: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  readonly findSimilar: FindSimilar;
  /** Where relative paths are looked for after the folder of the text itself. */
  readonly bases: readonly string[];
  /** Names that `{name}` may stand for, in one set or another. */
  readonly variables: readonly ReadonlySet<string>[];
  /** Step files that the node of this text leads to or comes from; undefined where the text is no step. */
  readonly neighbours?: ReadonlySet<string>;
  /** Step files of the workflow. */
  readonly steps?: ReadonlySet<string>;
  /** In a template unknown names are for the model to fill. */
  readonly isTemplate?: boolean;
}

export function checkText(source: PackageText, view: TextView, findings: Findings): void {
  const text = { ...source, text: source.text.slice(0, MAX_TEXT_CHARS) };
  checkFiles(text, view, findings);
  checkVariables(text, view, findings);
  if (view.isTemplate !== true) checkTools(text, findings);
}

function place({ file, pointer }: PackageText, line: number) {
  return pointer === undefined ? { file, line } : { file, pointer };
}

function checkFiles(source: PackageText, view: TextView, findings: Findings): void {
  const seen = new Set<string>();
  for (const named of findNamedFiles(source.text, source.firstLine)) {
    if (seen.has(named.path)) continue;
    seen.add(named.path);
    const found = resolveNamed(named.path, source.file, view);
    if (found === undefined) {
      if (isMeantForPackage(named, source.file, view)) addMissing(named, source, view, findings);
    } else if (view.neighbours && view.steps?.has(found) && !view.neighbours.has(found)) {
      findings.add('STEP_LINK_WITHOUT_EDGE', {
        ...place(source, named.line),
        message: `the text names the step "${found.slice(0, 80)}", but no edge leads from this node to that step`,
        fix: 'Add the edge to workflow.graph.json, or take the link out; a run can only go where an edge leads.',
      });
    }
  }
}

/** A path in the package; undefined where there is no such file. */
function resolveNamed(path: string, from: string, view: TextView): string | undefined {
  return candidatesOf(path, from, view).find((candidate) => view.paths.has(candidate));
}

function candidatesOf(path: string, from: string, { bases }: Pick<TextView, 'bases'>): string[] {
  const [rooted] = /^(?:@pkg|\{package-root\})\//.exec(path) ?? [];
  if (rooted) return [posix.normalize(path.slice(rooted.length))];
  return [posix.dirname(from), ...bases].map((base) => posix.join(base, path));
}

/** A name alone may be a file of the project; one in a folder of the package, or named like a step, is meant to be here. */
function isMeantForPackage({ path, isExplicit }: NamedFile, from: string, view: TextView): boolean {
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
  const meant = [...view.paths].filter((known) => posix.basename(known) === similar);
  const nearest =
    meant.find((known) => known.startsWith(posix.dirname(posix.dirname(source.file)))) ?? meant[0];
  findings.add('REFERENCE_MISSING', {
    ...place(source, line),
    message: `the text names "${path.slice(0, 120)}", which is not in the package`,
    fix: nearest
      ? `Did you mean "${nearest.slice(0, 120)}"?`
      : 'Add the file, or correct the path; write @project/… for a file of the project.',
  });
}

const BRACES = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}|\{([A-Za-z_][\w-]*)\}/g;
const PATH_NAME = /(?:File|Path|Folder|Dir|Template|Workflow|Task|CSV|_file|_path|_folder|_dir|-root)$/;

/** Prose may show `{count}` for the model to fill; in a path, or where a name is almost right, a variable is meant. */
function checkVariables(source: PackageText, view: TextView, findings: Findings): void {
  const seen = new Set<string>();
  for (const { text, line, code } of markdownLines(source.text, source.firstLine)) {
    if (code !== undefined && view.isTemplate !== true) continue;
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
        ...place(source, line),
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
  readonly pattern: RegExp;
  readonly fix: string;
}

const SAY_WHAT_INSTEAD = 'Say what to do where it is missing, or give the agent a tool server that has it.';

/** What instructions for other programs ask for. */
const MISSING_TOOLS: readonly MissingTool[] = [
  {
    what: 'a shell',
    pattern:
      /`(?:npm|npx|git|node|python3?|pip|curl|wget|bash|sh|docker|make|cargo) [^`]{1,200}`|\bBash tool\b/,
    fix: SAY_WHAT_INSTEAD,
  },
  {
    what: 'web search',
    pattern: /\bweb ?search|\bsearch the (?:web|internet)\b|\bWeb(?:Search|Fetch)\b|联网搜索|网络搜索/i,
    fix: SAY_WHAT_INSTEAD,
  },
  {
    what: 'sub-agents',
    pattern: /\bsub-?agents?\b|\bTask tool\b|子代理|子智能体/i,
    fix: 'Say how the one agent of the step does the work, or make nodes with agents of their own.',
  },
];

const BLOCKS = new Set(['bash', 'sh', 'shell', 'zsh', 'console', 'powershell', 'cmd', 'bat']);

function checkTools(source: PackageText, findings: Findings): void {
  const seen = new Set<string>();
  const add = (what: string, line: number, message: string, fix: string): void => {
    if (seen.has(what)) return;
    seen.add(what);
    findings.add('TOOL_UNAVAILABLE', { ...place(source, line), message, fix });
  };
  for (const { text, line, code } of markdownLines(source.text, source.firstLine)) {
    for (const { what, pattern, fix } of MISSING_TOOLS) {
      const isBlock = what === 'a shell' && code !== undefined && BLOCKS.has(code);
      if (isBlock || (code === undefined && pattern.test(text)))
        add(what, line, `the text relies on ${what}, which runs do not have by themselves`, fix);
    }
    for (const [, name = ''] of text.matchAll(/`((?:fs|ui|runtime)[._][a-z_]{3,40})`/g)) {
      if (BUILTIN.has(name) || /\.(?:json|csv|yaml|yml|txt|html)$/.test(name)) continue;
      const similar = findSimilar(name, BUILTIN_TOOLS);
      const fix = similar ? `Did you mean ${similar}?` : `The tools are ${BUILTIN_TOOLS.join(', ')}.`;
      add(name, line, `there is no tool "${name}"`, fix);
    }
  }
}
