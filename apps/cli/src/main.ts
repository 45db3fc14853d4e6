#!/usr/bin/env node
/**
 * Where the command line starts. Answers `--version` without loading anything else,
 * because people and scripts ask for it all the time.
 */
import { VERSION } from '@crewagent/protocol/version';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  void start();
}

async function start(): Promise<void> {
  const { keepCompiledCode } = await import('./compiled-code.ts');
  keepCompiledCode();
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(args);
}
