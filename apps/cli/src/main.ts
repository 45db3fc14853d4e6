#!/usr/bin/env node
/**
 * Entry point of the command line. Answers `--version` without loading anything else, because scripts call it often.
 */
import { join } from 'node:path';
import { VERSION } from '@crewagent/protocol/version';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  void start();
}

async function start(): Promise<void> {
  // Nothing is pending any more; Node would free its memory piece by piece, which takes 3 ms.
  process.once('beforeExit', () => process.exit());
  const { runBuiltProgram } = await import('./run-built-program.ts');
  process.exitCode = await runBuiltProgram(join(import.meta.dirname, 'program.js'), args);
}
