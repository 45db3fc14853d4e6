#!/usr/bin/env node
/**
 * Entry point of the command line. Answers `--version` and, as the build wrote it, `--help` without loading anything else, because
 * scripts call them often.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { detectLanguage, languageOfEnvironment } from '@crewagent/protocol/languages';
import { VERSION } from '@crewagent/protocol/version';

const args = process.argv.slice(2);
const [first = '--help'] = args.length > 1 ? [''] : args;
if (first === '--version' || first === '-V') {
  process.stdout.write(`${VERSION}\n`);
} else if (['--help', '-h', 'help'].includes(first) && isAsWideAsBuilt(process.stdout)) {
  printBuiltHelp();
} else {
  void start();
}

/** The build formats the help for a pipe, which commander formats like a terminal of this width. */
function isAsWideAsBuilt({ isTTY, columns }: NodeJS.WriteStream): boolean {
  return !isTTY || columns === 80;
}

/** As `userLanguage` says, without loading what it needs. */
function isChinese(): boolean {
  const isNamed = process.platform === 'linux';
  const system = isNamed ? 'en' : new Intl.DateTimeFormat().resolvedOptions().locale;
  return detectLanguage([languageOfEnvironment(process.env) ?? system]) === 'zh-CN';
}

function printBuiltHelp(): void {
  let text: string;
  try {
    text = readFileSync(join(import.meta.dirname, isChinese() ? 'help.zh-CN.txt' : 'help.txt'), 'utf8');
  } catch {
    // While the program is built.
    void start();
    return;
  }
  // Reports a full disk like any other command.
  process.stdout.once('error', () => void start());
  process.stdout.write(text);
}

async function start(): Promise<void> {
  // Nothing is pending any more; Node would free its memory piece by piece, which takes 3 ms.
  process.once('beforeExit', () => process.exit());
  const { runBuiltProgram } = await import('./run-built-program.ts');
  process.exitCode = await runBuiltProgram(join(import.meta.dirname, 'program.js'), args);
}
