/**
 * Runtime commands (`/menu`, `/stop`, …) as typed in a conversation, with their help texts.
 */
import { findGlobalCommand } from '@crewagent/protocol/commands';
import { translate } from '@crewagent/protocol/story/translate';
import { story } from '@crewagent/protocol/texts/en/story';
import { userLanguage } from './user-language.ts';

/** Names include the `/`. */
export function listCommands(language = userLanguage()) {
  const commands = Object.entries(story.command).map(([name]) => ({
    name: `/${name}`,
    help: translate(language, `command.${name as keyof typeof story.command}`),
  }));
  return [...commands, { name: '/attach', help: translate(language, 'terminal.attach') }];
}

/** The path of `/attach FILE`, with or without quotes; undefined for other lines. */
export function attachedPath(text: string): string | undefined {
  const [, path] = /^\s*[/、](?:attach|附件)\s+(\S.*?)\s*$/iu.exec(text) ?? [];
  return path?.replace(/^(["'])(.*)\1$/, '$2').replaceAll('\\ ', ' ');
}

/** Whether a line is a runtime command; also valid in a run and while a question is pending. */
export function isGlobalCommand(text: string): boolean {
  if (RESUME.test(text.normalize('NFKC'))) return true;
  const name = nameOf(text, /^\s*[/、](\S+)\s*$/u);
  return name !== undefined && findGlobalCommand(name) !== undefined;
}

/** `/resume` with the number or id of a run. */
const RESUME = /^\s*[/、](?:resume\s+|(?:继续|恢复)\s*)[0-9a-f][0-9a-f-]*\s*$/iu;

/** `/exit`, which in plain chat is handled by the user interface. */
export function isExit(text: string): boolean {
  return ['exit', '退出'].includes(nameOf(text, /^\s*[/*、](\S+)\s*$/u) ?? '');
}

function nameOf(text: string, command: RegExp): string | undefined {
  return command.exec(text.normalize('NFKC'))?.[1]?.toLowerCase();
}
