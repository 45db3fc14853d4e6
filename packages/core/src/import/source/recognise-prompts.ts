/**
 * Recognises prompts of other tools by their names, folders and frontmatter: commands, which a person starts with a request, and
 * agents. A page without frontmatter is a command only in a folder of commands. Pure.
 */
import { posix } from 'node:path';
import type { SourceTree } from './read-source.ts';

/** The Markdown files of a source that are commands. */
export function findCommands(tree: SourceTree): ReadonlySet<string> {
  const pages = tree.paths.filter(
    (path) => /\.md$/i.test(path) && !isAboutTheSource(path) && !isInSkill(path, tree),
  );
  const marked = pages.filter((path) => isMarked(path, tree.text(path) ?? ''));
  const folders = new Set(marked.map(commandRoot));
  return new Set([
    ...marked,
    ...pages.filter((path) => {
      const isListed = folders.has(commandRoot(path)) && !hasPromptName(path);
      return isListed && (COMMANDS.test(path) || takesRequest(tree.text(path) ?? ''));
    }),
  ]);
}

const COMMANDS = /(?:^|\/)(?:commands?|prompts)\//;

/** The folder `commands` with everything below, or the folder of the file. */
function commandRoot(path: string): string {
  const end = COMMANDS.exec(path);
  return end ? path.slice(0, end.index + end[0].length) : path.slice(0, path.lastIndexOf('/') + 1);
}

function isMarked(path: string, text: string): boolean {
  if (/\.prompt\.md$/i.test(path)) return true;
  if (hasPromptName(path) || /(?:^|\/)agents\//.test(path)) return false;
  const isCommand = ['description', 'allowed-tools', 'allowed_tools', 'argument-hint'].some((key) =>
    hasKeys(text, [key]),
  );
  if (COMMANDS.test(path)) return isCommand;
  return takesRequest(text) && (isCommand || hasKeys(text, ['model']));
}

function takesRequest(text: string): boolean {
  return /\$ARGUMENTS\b/.test(text);
}

function hasPromptName(path: string): boolean {
  return /\.(?:agent|chatmode|instructions|template)\.md$/i.test(path);
}

/** Whether a file is an agent of another tool: in a folder `agents` with a name and a description, or named as one. */
export function isPromptAgent(file: string, tree: SourceTree): boolean {
  const text = tree.text(file) ?? '';
  if (/\.(?:agent|chatmode)\.md$/i.test(file)) return hasKeys(text, ['description']);
  return /(?:^|\/)agents\/(?:[^/]+\/){0,2}[^/]+\.md$/.test(file) && hasKeys(text, ['name', 'description']);
}

/** Pages for people, and documentation, whose frontmatter may have a description as well. */
function isAboutTheSource(path: string): boolean {
  return (
    /^(?:readme|changelog|contributing|claude|agents|gemini|licen[cs]e|security|index)\b.*\.md$/i.test(
      posix.basename(path),
    ) || /(?:^|\/)(?:docs?|website|node_modules)\//.test(path)
  );
}

/** Whether the frontmatter of a text has these keys, with values. */
export function hasKeys(text: string, keys: readonly string[]): boolean {
  const [, head = ''] = /^\uFEFF?---\r?\n([\s\S]{0,8000}?)\n---/.exec(text) ?? [];
  return keys.every((key) => new RegExp(`^${key}:[ \\t]*(?:\\S|\\r?\\n[ \\t]+\\S)`, 'm').test(head));
}

/** Whether a folder above the file is a skill, which the file belongs to then. */
export function isInSkill(file: string, tree: SourceTree): boolean {
  const folder = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
  for (let at = folder(file); at !== ''; at = folder(at.slice(0, -1)))
    if (tree.has(`${at}SKILL.md`)) return true;
  return tree.has('SKILL.md');
}
