/**
 * Reads an agent whose definition is a block of YAML in its Markdown file (BMAD 4): persona, commands, and the tasks, templates and
 * checklists that the commands name. Returns the form of an `.agent.yaml`.
 */
import { posix } from 'node:path';
import { isObject } from '@crewagent/protocol/json-object';
import type { ImportNotes } from './import-notes.ts';
import type { SourceTree } from './read-source.ts';
import { lineOf } from './resolve-reference.ts';
import { type Fields, parseSourceYaml, textField } from './source-yaml.ts';

interface FencedSource {
  readonly tree: SourceTree;
  readonly notes: ImportNotes;
}

export function readFencedAgent(
  text: string,
  file: string,
  { tree, notes }: FencedSource,
): Fields | undefined {
  const open = /^```ya?ml\n/m.exec(text);
  const start = open ? open.index + open[0].length : 0;
  const end = text.indexOf('\n```', start);
  const before = text.slice(0, start).split('\n').length - 1;
  const fields = parseSourceYaml(
    text.slice(start, end === -1 ? undefined : end),
    file,
    notes,
    before,
  )?.fields;
  if (!fields || !isObject(fields.agent)) return undefined;
  const { agent } = fields;
  const persona = isObject(fields.persona) ? fields.persona : {};
  const files = dependenciesOf(fields.dependencies, file, { tree, notes });
  return {
    metadata: {
      id: agent.id,
      name: agent.name,
      title: agent.title,
      icon: agent.icon,
      capabilities: textField(agent, 'whenToUse'),
    },
    persona: {
      role: persona.role,
      identity:
        [textField(persona, 'identity'), textField(persona, 'focus')].filter(Boolean).join('. ') || undefined,
      communication_style: persona.style,
      principles: persona.core_principles ?? fields.core_principles,
    },
    critical_actions: toActivation(fields['activation-instructions']),
    menu: toCommands(fields.commands).map(([name, what]) => toItem(name, what, files)),
  };
}

/** What the runtime does itself, or what is about the files of an installation. */
const OF_THE_RUNTIME =
  /^STEP \d|\bactivation\b|\bactivated\b|\bgreet\b|customization field|\bagent files\b|\bdependency files\b|core-config|\bstartup\b/i;

function toActivation(lines: unknown): string[] {
  const all: readonly unknown[] = Array.isArray(lines) ? lines : [];
  return all
    .map((line) =>
      isObject(line)
        ? Object.entries(line)
            .map(([key, value]) => `${key}: ${String(value)}`)
            .join(' ')
        : line,
    )
    .filter((line): line is string => typeof line === 'string' && !OF_THE_RUNTIME.test(line));
}

/** `*draft {topic}" - Write a draft`: marks around the name, its parameters, and the text after a dash or colon. */
const WRITTEN_COMMAND =
  /^[\s"'`*]*([A-Za-z][\w-]*)(?:\s+[{[<][^}\]>]{0,80}[}\]>])*["'`]*\s*(?:[-–—:]\s*)?(.*)$/s;

/** Commands are a list of `name: text`, of plain names, or one map. */
function toCommands(written: unknown): [name: string, what: string][] {
  const entries: readonly unknown[] = Array.isArray(written) ? written : isObject(written) ? [written] : [];
  return entries.flatMap((entry): [string, string][] => {
    if (typeof entry === 'string') {
      const [, name = entry, what] = WRITTEN_COMMAND.exec(entry) ?? [];
      return [[name, what || entry]];
    }
    if (!isObject(entry)) return [];
    return Object.entries(entry).map(([name, what]) => [
      name,
      typeof what === 'string' ? what.trim() : toLines(what),
    ]);
  });
}

function toLines(value: unknown): string {
  if (Array.isArray(value)) return value.map(toLines).join('\n');
  if (!isObject(value)) return String(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${toLines(inner)}`)
    .join('\n');
}

/** Kind of folder → paths. */
type Dependencies = ReadonlyMap<string, readonly string[]>;

function dependenciesOf(written: unknown, file: string, { tree, notes }: FencedSource): Dependencies {
  const root = posix.dirname(posix.dirname(file));
  const kinds = isObject(written) ? Object.entries(written) : [];
  return new Map(
    kinds.map(([kind, names]) => [
      kind,
      (Array.isArray(names) ? names : []).flatMap((name: unknown) => {
        const own = posix.join(root === '.' ? '' : root, kind, String(name));
        const found = tree.has(own) ? [own] : tree.named(String(name)).slice(0, 1);
        const line = lineOf(tree.text(file) ?? '', String(name));
        if (found.length === 0)
          notes.addUnresolved(
            String(name),
            { file, line },
            `the source has no file "${kind}/${String(name)}".`,
          );
        return found;
      }),
    ]),
  );
}

/** A command that names a task follows its file; one that also names a template or a checklist gets it as data. */
function toItem(name: string, what: string, files: Dependencies): Fields {
  const trigger = name.trim().split(/\s/)[0] ?? name;
  const description = what.split('\n')[0]?.replaceAll('{root}/', '').slice(0, 300) || name;
  if (/^help$/i.test(trigger)) return { trigger, description: 'Show the menu again' };
  if (/^exit$/i.test(trigger)) return { trigger, description: 'Dismiss the agent' };
  const named = (kind: string): string | undefined =>
    files
      .get(kind)
      ?.toSorted((a, b) => b.length - a.length)
      .find((path) => isNamed(posix.basename(path), what));
  const exec = named('tasks') ?? files.get('tasks')?.find((path) => posix.basename(path, '.md') === trigger);
  const data = named('templates') ?? named('checklists') ?? named('data');
  if (exec === undefined) return { trigger, description, action: what };
  return { trigger, description, exec: `/${exec}`, data: data === undefined ? undefined : `/${data}` };
}

function isNamed(file: string, text: string): boolean {
  const stem = file.replace(/\.\w+$/, '');
  const at = text.indexOf(stem);
  return at !== -1 && !/[\w-]/.test(text.charAt(at - 1)) && !/[\w-]/.test(text.charAt(at + stem.length));
}
