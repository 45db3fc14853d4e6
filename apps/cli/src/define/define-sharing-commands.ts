/** Options and help of the commands that give packages to others. */
import type { Command } from 'commander';
import { add, type Done, examples, lazily } from './help-text.ts';

export function defineSharingCommands(program: Command, done: Done): void {
  add(program, 'publish', 'give a package to others: a folder with an index, git, or npm', {
    '<package>': 'a package folder, or a .bmad or method .md file',
  })
    .requiredOption('--to <dest>', 'a folder, git+URL[#BRANCH], or npm:[NAME]')
    .option('--key <name>', 'sign with this key (default: your only key)')
    .option('--no-sign', 'publish without a signature')
    .option('--dry-run', 'show what would be sent')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
A version that is published is never replaced. To a folder it writes NAME-VERSION.bmad and index.json, which you can
serve as they are. To git it pushes the files to a branch (default: main) with the tag vVERSION, by your own git. To npm
it sends a tarball with the .bmad file; registry and token come from ~/.npmrc.

Exit codes: 0 published, 2 not valid, not possible, or published already.
${examples(
  'crewagent publish my-package --to ./site/packages',
  'crewagent publish my-package --to git+https://example.org/my-package.git',
  'crewagent publish my-package --to npm:@team/my-package --dry-run',
)}`,
    )
    .action(lazily(() => import('../commands/publish.ts'), 'publish', done));

  defineKeys(program, done);
}

function defineKeys(program: Command, done: Done): void {
  const keys = add(program, 'keys', 'keys to sign packages with, and signers that you know').addHelpText(
    'after',
    `
The first signer of a package is remembered by the name of the package. A key that you trust may sign any
package. Private keys stay in the store, in a file that only you can read.

A Sigstore bundle beside a package (NAME.bmad.sigstore.json) is verified without a network. Its signer is an
identity, such as an address or a workflow, and is remembered and trusted like a key.
${examples(
  'crewagent keys create Ada',
  'crewagent keys export Ada',
  'crewagent keys trust 7Y0x…KXU= --name Ada',
  'crewagent keys trust-root trusted_root.json',
  'crewagent keys forget story',
)}`,
  );
  const load = () => import('../commands/keys.ts');
  add(keys, 'create', 'create a key', { '<name>': 'for you to find it' }).action(
    lazily(load, 'create', done),
  );
  add(keys, 'list', 'list your keys and the signers that you know')
    .option('--json', 'print them as JSON')
    .action(lazily(load, 'list', done));
  add(keys, 'export', 'print the public part of a key', { '[name]': 'default: your only key' }).action(
    lazily(load, 'exportKey', done),
  );
  add(keys, 'trust', 'trust a key of somebody else', {
    '<key>': 'a public key, "sigstore:ISSUER IDENTITY", or the fingerprint of a known signer',
  })
    .requiredOption('--name <name>', 'whose key it is')
    .action(lazily(load, 'trust', done));
  add(keys, 'trust-root', 'verify Sigstore bundles with another trust root', {
    '[file]': 'a trusted_root.json; without it that of the public Sigstore',
  }).action(lazily(load, 'trustRoot', done));
  add(keys, 'forget', 'forget a signer, and no longer trust it', {
    '<signer>': 'fingerprint, key, name, or the name of a package that it signed',
  }).action(lazily(load, 'forget', done));
}
