/**
 * Prompts for a line on the terminal. Only for interactive terminals: see `isInteractive`.
 */
import { createInterface } from 'node:readline';
import { CrewError } from '@crewagent/core';
import { hostProcess } from '../host-process.ts';
import { say } from '../print/texts/say.ts';
import { isInteractive, print, style } from '../terminal.ts';
import { type ChoiceList, choose } from './choose.ts';

export interface Prompter {
  /** The typed line, or several pasted lines. Undefined when the person leaves (Ctrl-C, Ctrl-D) or the signal is aborted. */
  ask(prompt: string): Promise<string | undefined>;
  /** The chosen options by index, or what was typed instead. Undefined when the person leaves. */
  pick(list: ChoiceList): Promise<readonly number[] | string | undefined>;
}

/** Pasted lines arrive at once; nobody types two lines within this time. */
const PASTE_MS = 25;

export function createPrompter(signal?: AbortSignal): Prompter {
  const prompter: Prompter = {
    async pick(list) {
      const choice = await choose(list, signal);
      if (choice.kind === 'left') return undefined;
      return choice.kind === 'chosen' ? choice.indexes : prompter.ask(`${style('cyan', '›')} `);
    },
    ask: (prompt) =>
      new Promise((resolve) => {
        if (signal?.aborted) {
          resolve(undefined);
          return;
        }
        const lines: string[] = [];
        let typed: string | undefined;
        let timer: NodeJS.Timeout | undefined;
        const { stdin, stdout } = hostProcess();
        const terminal = createInterface({ input: stdin, output: stdout, prompt, historySize: 0 });
        const leave = (): void => terminal.close();
        terminal.on('line', (line) => {
          lines.push(line);
          clearTimeout(timer);
          timer = setTimeout(() => {
            // The last pasted line has no line break yet.
            if (terminal.line !== '') return;
            typed = lines.join('\n');
            terminal.close();
          }, PASTE_MS);
        });
        terminal.on('SIGINT', leave);
        // The terminal is gone: of standard input, passed on.
        terminal.on('error', leave);
        terminal.on('close', () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
          if (typed === undefined) stdout.write('\n');
          resolve(typed);
        });
        signal?.addEventListener('abort', leave, { once: true });
        terminal.prompt();
      }),
  };
  return prompter;
}

/** Whether the person agrees; anything but yes is no. */
export async function confirm(question: string, signal?: AbortSignal): Promise<boolean> {
  const answer = await createPrompter(signal).ask(question);
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}

/** Asks before something is deleted that cannot be restored. False if the person declines. */
export async function confirmDeletion(name: string): Promise<boolean> {
  if (!isInteractive())
    throw new CrewError('USAGE', `Deleting ${name} cannot be undone. Confirm with --yes.`);
  if (await confirm(`${say('delete.confirm', { name })} [y/N] `)) return true;
  print(say('delete.declined'));
  return false;
}

/** Reads a line without echo. Undefined when the person leaves. */
export function askHidden(prompt: string): Promise<string | undefined> {
  const { stdin, stderr } = hostProcess();
  return new Promise((resolve) => {
    let typed = '';
    // Before the prompt is shown, because the person may type at once.
    stdin.setRawMode?.(true);
    stdin.setEncoding('utf8');
    stderr.write(prompt);
    const finish = (result: string | undefined): void => {
      stdin.off('data', onData);
      stdin.off('error', onLost);
      stdin.setRawMode?.(false);
      stdin.pause();
      stderr.write('\n');
      resolve(result);
    };
    const onLost = (): void => finish(undefined);
    const onData = (chunk: string): void => {
      for (const character of chunk) {
        if (character === '\r' || character === '\n') {
          finish(typed);
          return;
        }
        if (character === '\u0003' || character === '\u0004') {
          finish(undefined);
          return;
        }
        if (character === '\u007f' || character === '\b') typed = typed.slice(0, -1);
        else typed += character;
      }
    };
    stdin.on('data', onData);
    stdin.on('error', onLost);
    stdin.resume();
  });
}
