/** Programs of the system by a fixed path: another program of this name in PATH could pretend to be the sandbox. */
import { existsSync } from 'node:fs';

const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/current-system/sw/bin'];

export function findSystemProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => `${folder}/${name}`).find((path) => existsSync(path));
}

/** The first possible path if there is no such program, so that starting it fails. */
export function systemProgram(name: string): string {
  return findSystemProgram(name) ?? `/usr/bin/${name}`;
}
