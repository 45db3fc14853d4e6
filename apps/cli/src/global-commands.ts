/**
 * Runtime commands (`/menu`, `/stop`, …) as typed in a conversation.
 */
import { findGlobalCommand } from '@crewagent/protocol/commands';

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

/** Stops the run at a question, without an answer. */
export function isStopCommand(text: string): boolean {
  const name = nameOf(text, /^\s*[/、](\S+)\s*$/u);
  const command = name === undefined ? undefined : findGlobalCommand(name);
  return command === 'run.stop' || command === 'run.pause';
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
