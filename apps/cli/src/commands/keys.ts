/** `crewagent keys`: the keys that packages are signed with, and the signers that this person knows. */
import { readFile } from 'node:fs/promises';
import {
  createSigningKey,
  findOwnKey,
  forgetSigner,
  type KnownSigner,
  listSigners,
  listSigningKeys,
  setTrustRoot,
  trustKey,
  withDiskErrors,
} from '@crewagent/core';
import { openStore } from '../open-store.ts';
import { say } from '../print/texts/say.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';

export async function create(name: string): Promise<void> {
  const { fingerprint } = await createSigningKey(name, openStore(), new Date());
  printDone(`${say('keys.created', { name: style('bold', sanitize(name)) })}  ${style('cyan', fingerprint)}`);
  print(say('keys.tell'));
}

export async function list(options: { json?: true }): Promise<void> {
  const store = openStore();
  const [own, signers] = [await listSigningKeys(store), await listSigners(store)];
  if (options.json) return print(JSON.stringify({ own, signers }));
  if (own.length + signers.length === 0) return print(say('keys.none'));
  if (own.length > 0) print(style('bold', say('keys.own')));
  for (const { name, fingerprint, createdAt } of own)
    print(`  ${style('cyan', fingerprint)}  ${sanitize(name)}  ${style('dim', createdAt.slice(0, 10))}`);
  if (signers.length > 0) print(style('bold', say('keys.signers')));
  for (const signer of signers) print(`  ${describe(signer)}`);
}

function describe({ fingerprint, name, packages }: KnownSigner): string {
  const trusted =
    name === undefined ? '' : `  ${style('green', say('keys.trusted', { name: sanitize(name) }))}`;
  const signed = packages.length === 0 ? '' : `  ${style('dim', sanitize(packages.join(', '), 400))}`;
  return `${style('cyan', fingerprint)}${trusted}${signed}`;
}

/** Only the key, so that it can be piped. */
export async function exportKey(name: string | undefined): Promise<void> {
  print((await findOwnKey(name, openStore(), 'crewagent keys export NAME')).key);
}

export async function trust(key: string, options: { name: string }): Promise<void> {
  const trusted = await trustKey(key, options.name, openStore(), new Date());
  printDone(describe(trusted));
}

/** Without a file: that of the public Sigstore. */
export async function trustRoot(file: string | undefined): Promise<void> {
  const text =
    file === undefined
      ? undefined
      : await withDiskErrors(`Could not read "${file}"`, () => readFile(file, 'utf8'));
  await setTrustRoot(text, openStore());
  printDone(file === undefined ? say('keys.publicRoot') : say('keys.ownRoot', { file: sanitize(file) }));
}

export async function forget(ref: string): Promise<void> {
  for (const signer of await forgetSigner(ref, openStore()))
    printDone(say('keys.forgotten', { signer: describe(signer) }));
}
