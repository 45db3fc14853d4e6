/**
 * Prints diagnostics: location, message, fix.
 */
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import { toChineseFinding } from '@crewagent/protocol/texts/zh-CN/findings';
import { print, printError, sanitize, styleError, style as styleOut } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';
import { say } from './texts/say.ts';

/** On standard error if standard output is reserved for a result. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], where: 'out' | 'error'): void {
  const [write, style] = where === 'out' ? [print, styleOut] : [printError, styleError];
  const isChinese = userLanguage() === 'zh-CN';
  for (const entry of diagnostics) {
    const mark = style(COLORS[entry.severity], say(`author.${entry.severity}`).padEnd(7));
    const line = entry.line === undefined ? '' : `:${entry.line}`;
    const pointer = entry.pointer === undefined ? '' : ` ${style('dim', sanitize(entry.pointer))}`;
    write(
      `  ${mark} ${style('bold', `${sanitize(entry.file)}${line}`)}${pointer}  ${style('dim', entry.code)}`,
    );
    const { message, fix } = isChinese
      ? toChineseFinding(entry)
      : { message: `${capital(entry.message)}.`, fix: entry.fix };
    write(`          ${sanitize(message)}`);
    write(`          ${style('cyan', '→')} ${sanitize(fix)}`);
  }
}

const COLORS = { error: 'red', warning: 'yellow', advice: 'cyan' } as const;

export function countDiagnostics(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter((entry) => entry.severity === 'error').length;
  const warnings = diagnostics.length - errors;
  return `${say('author.errors', { count: errors })}, ${say('author.warnings', { count: warnings })}`;
}

export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
