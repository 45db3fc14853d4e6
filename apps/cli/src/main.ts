#!/usr/bin/env node
/**
 * Entry point of the command line. Answers `--version` without loading anything else, because scripts call it often.
 */
import { VERSION } from '@crewagent/protocol/version';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  void start();
}

async function start(): Promise<void> {
  const { cacheCompiledCode } = await import('./compiled-code.ts');
  cacheCompiledCode();
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(args);
}
