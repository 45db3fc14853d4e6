/**
 * A process that changes the files of a project until it is done or killed: `driver.js JOB ROOT ARGUMENT…`.
 */
import { join } from 'node:path';
import { CrewError } from '../../base/crew-error.ts';
import { openProjectFiles } from '../../project-files/open-project-files.ts';
import { openDiskStore } from '../../store/disk/open-store.ts';
import { SAMPLE_PROJECT_ID } from '../sample-record.ts';

const [job = '', root = '', ...args] = process.argv.slice(2);
const files = await openProjectFiles({
  store: openDiskStore(join(root, 'store')),
  project: { projectId: SAMPLE_PROJECT_ID, path: join(root, 'project') },
  now: () => new Date(),
});

const JOBS: Readonly<Record<string, () => Promise<void>>> = {
  async remove() {
    const outcome = await files.remove(args[0] ?? '').catch((error: unknown) => error);
    if (!(outcome instanceof Error)) say({ code: 'ok' });
    else if (outcome instanceof CrewError) say({ code: outcome.code, message: outcome.message });
    else throw outcome;
  },

  /** Makes a series of changes, and undoes and redoes each of them. */
  async 'change forever'() {
    for (let round = 0; ; round++) {
      const done = [
        await files.move('@project/dir', '@project/moved'),
        await files.remove('@project/moved'),
        (await files.createFile(`@project/new/${round}.md`, 'new')).change,
        await files.createFolder('@project/made/here'),
        await files.remove('@project/new'),
      ];
      for (const change of done.toReversed()) if (change) await files.undo(change.id);
      for (const change of done) if (change) await files.redo(change.id);
      for (const change of done.toReversed()) if (change) await files.undo(change.id);
    }
  },

  /** Appends to a file a number of times, concurrently with other processes. */
  async append() {
    const [times = '', line = ''] = args;
    for (let count = 0; count < Number(times); ) {
      const found = await files.read('@project/shared.md');
      if (found.isTooLarge || found.kind !== 'text') throw new Error('expected a short text');
      try {
        await files.save({
          path: '@project/shared.md',
          text: `${found.text}${line}\n`,
          ifMatchSha256: found.sha256,
        });
        count++;
      } catch (error) {
        if (!(error instanceof CrewError) || error.code !== 'FILE_CONFLICT') throw error;
      }
    }
    say({ code: 'ok' });
  },
};

function say(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

await JOBS[job]?.();
await files.close();
