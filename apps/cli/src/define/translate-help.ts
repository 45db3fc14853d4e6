/**
 * Help in Chinese. The commands are defined in English; here their texts are replaced, by the English one, when help is asked for on a
 * Chinese terminal. Loaded only then. A text without a translation stays English, and a test fails.
 */
import type { Command } from 'commander';
import { cellsOf } from '../print/text/cells.ts';
import { BLOCKS, TITLES } from './zh-CN/help-blocks.ts';
import { PACKAGE_HELP } from './zh-CN/package-help.ts';
import { RUN_HELP } from './zh-CN/run-help.ts';
import { TEAM_HELP } from './zh-CN/team-help.ts';

const TEXTS: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...RUN_HELP, ...PACKAGE_HELP, ...TEAM_HELP }),
);

type Write = (text: string) => unknown;

/** `write` prints help and nothing else, `writeError` the help of a group without one of its commands as well. */
export function translateHelp(program: Command, write: Write, writeError: Write): void {
  const english = program.configureHelp();
  const layout: typeof english = {
    ...english,
    displayWidth: cellsOf,
    boxWrap: wrapCells,
    styleTitle: (title) => TITLES[title] ?? title,
    optionDescription: (option) =>
      toChineseValues(english.optionDescription?.(option) ?? toChinese(option.description)),
  };
  const translate = (command: Command): void => {
    command
      .configureHelp(layout)
      .configureOutput({
        writeOut: (text) => write(toChineseBlocks(text)),
        writeErr: (text) => writeError(toChineseBlocks(text)),
      })
      .description(toChinese(command.description()))
      .helpOption('-h, --help', toChinese('show help'));
    if (command.commands.length > 0)
      command.helpCommand('help [command]', toChinese('show help for a command'));
    for (const described of [...command.options, ...command.registeredArguments])
      described.description = toChinese(described.description);
    for (const child of command.commands) translate(child);
  };
  translate(program);
}

/** What commander adds to the description of an option. */
function toChineseValues(description: string): string {
  return description.replace(
    / \(((?:choices|default): .*)\)$/,
    (_, values: string) =>
      `（${values.replace('choices: ', '可选：').replace(/(?:, )?default: /, '默认：')}）`,
  );
}

/** The text itself, if it has no translation. */
function toChinese(text: string): string {
  return TEXTS.get(text) ?? text;
}

function toChineseBlocks(text: string): string {
  return BLOCKS.reduce((shown, [english, chinese]) => shown.replace(english, chinese), text);
}

/** Breaks a text between words and between Chinese characters, whose punctuation stays with them. */
function wrapCells(text: string, width: number): string {
  const pieces = text.match(PIECES) ?? [];
  const lines = [''];
  for (const piece of pieces) {
    const last = lines.at(-1) ?? '';
    if (cellsOf(last + piece.trimEnd()) <= width) lines[lines.length - 1] = last + piece;
    else lines.push(piece.trimStart());
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Blanks, or a word or a character with the marks that open before it and close behind it. */
const PIECES = /\s+|(?:(?![!-~])[\p{Ps}\p{Pi}])*(?:[!-~]+|[^\s!-~])(?:(?![!-~])[\p{Pe}\p{Pf}\p{Po}])*/gu;
