import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../../testing/temp-folder.ts';
import { clearStop, requestStop, watchForStop } from './stop-request.ts';

const stopFile = async (): Promise<string> => join(await tempFolder(), 'stop');

describe('a request to stop', () => {
  it('[A12] reaches the watcher once and is then deleted', async () => {
    const file = await stopFile();
    let stops = 0;
    const stopped = new Promise<void>((resolve) => {
      onTestFinished(
        watchForStop(file, () => {
          stops++;
          resolve();
        }),
      );
    });
    // Repeated before the watcher can see it: it would be another request afterwards.
    writeFileSync(file, '');
    writeFileSync(file, '');
    await stopped;
    expect([stops, existsSync(file)]).toEqual([1, false]);
    await requestStop(file);
    await expect.poll(() => [stops, existsSync(file)]).toEqual([2, false]);
  });

  it('[A12] does not reach a watch that ended', async () => {
    const file = await stopFile();
    const end = watchForStop(file, () => {
      throw new Error('the watch had ended');
    });
    end();
    await requestStop(file);
    // When another watch has seen it, the first one would have seen it as well.
    await new Promise<void>((resolve) => watchForStop(file, resolve));
  });

  it('[A12] can be cleared, even if there is none', async () => {
    const file = await stopFile();
    await requestStop(file);
    await clearStop(file);
    await clearStop(file);
    expect(existsSync(file)).toBe(false);
  });

  it('[A12] to a deleted run is an error', async () => {
    const file = join(await tempFolder(), 'gone', 'stop');
    await expect(requestStop(file)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});
