/**
 * A token that outlives the server, in a file that only its owner can read; made if there is none.
 */
import { open, readFile, stat } from 'node:fs/promises';
import { CrewError } from '@crewagent/core';
import { createToken } from './token.ts';

const SHORTEST = 32;

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
    if (codeOf(error) !== 'EEXIST') throw unusable(file, 'it cannot be made there');
  }
  const { mode } = await stat(file);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw unusable(file, 'others can read it; close it with "chmod 600"');
  const token = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (!/^[\w.~+/=-]+$/.test(token) || token.length < SHORTEST)
    throw unusable(file, `it must hold one word of at least ${SHORTEST} letters and digits`);
  return token;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function unusable(file: string, why: string): CrewError {
  return new CrewError('USAGE', `The token file "${file}" cannot be used: ${why}.`);
}
