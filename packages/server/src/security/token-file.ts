/**
 * A token that outlives the server, in a file that only its owner can read; created if it does not exist.
 */
import { open, readFile, stat } from 'node:fs/promises';
import { CrewError } from '@crewagent/core';
import { createToken } from './token.ts';

const MIN_LENGTH = 32;

export async function readTokenFile(file: string): Promise<string> {
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      const token = createToken();
      await handle.writeFile(`${token}\n`);
      return token;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unusable(file, 'the file could not be created');
  }
  const { mode } = await stat(file);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw unusable(file, 'other users can read it; run "chmod 600" on it');
  const token = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (!/^[\w.~+/=-]+$/.test(token) || token.length < MIN_LENGTH)
    throw unusable(file, `it must contain a single token of at least ${MIN_LENGTH} characters`);
  return token;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function unusable(file: string, why: string): CrewError {
  return new CrewError('USAGE', `The token file "${file}" cannot be used: ${why}.`);
}
