/** `crewagent publish`: gives a package to others. */
import { findOwnKey, listSigningKeys, publishPackage } from '@crewagent/core';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openStore } from '../open-store.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';

interface PublishOptions {
  readonly to: string;
  readonly key?: string;
  readonly sign: boolean;
  readonly dryRun?: true;
  readonly json?: true;
}

export async function publish(source: string, options: PublishOptions): Promise<ExitCode> {
  const { to, key, sign, dryRun, json } = options;
  return withSignals(async ({ signal }) => {
    const store = openStore();
    const canSign = sign && (key !== undefined || (await listSigningKeys(store)).length > 0);
    const privateKey = canSign ? (await findOwnKey(key, store)).privateKey : undefined;
    const deps = { store, context: validationContext, env: hostProcess().env, signal };
    const published = await publishPackage({ source, to, privateKey, isDryRun: dryRun === true }, deps);
    if (json) {
      print(JSON.stringify({ ...published, isDryRun: dryRun === true }));
      return EXIT.ok;
    }
    const { name, version, sha256, address, files, isSigned } = published;
    const named = { name: `${style('bold', sanitize(name))} ${sanitize(version)}` };
    printDone(say(dryRun ? 'publish.wouldBe' : 'publish.done', named));
    print(style('dim', `  sha256 ${sha256}`));
    print(`  ${say(isSigned ? 'publish.signed' : 'publish.unsigned')}`);
    for (const file of dryRun ? files : []) print(style('dim', `  ${sanitize(file)}`));
    print(`  crewagent packages add ${sanitize(address)}`);
    return EXIT.ok;
  });
}
