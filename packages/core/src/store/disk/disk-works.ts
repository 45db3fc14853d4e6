/** Disk adapter of the `WorkStore` port. */
import { stat } from 'node:fs/promises';
import { ifPresent } from '../../base/errno.ts';
import { sweepTempFiles } from '../../base/staging.ts';
import { openJournal } from '../work-files/journal.ts';
import { openStateText, readFileImages, readJournalCopy } from '../work-files/journal-images.ts';
import type { WorkStore } from '../work-store.ts';
import { findWork, listAddresses, listProjectIds, listWorks, readWork, updateWork } from './find-works.ts';
import type { StoreLayout } from './layout.ts';
import { clearStop, requestStop, watchForStop } from './locks/stop-request.ts';
import { isWorkLocked, takeWorkLock } from './locks/work-lock.ts';
import { createLogPages } from './log/log-pages.ts';
import { createLogTail, openRunLog, readRunLog } from './log/run-log.ts';
import { sweepStagedFolders } from './staged-folder.ts';
import { createWorkWatch } from './watch-works.ts';
import { adoptWork, childrenOf, createWork, deleteWork } from './work-folders.ts';

export function createDiskWorks(layout: StoreLayout): WorkStore {
  return {
    create: ((draft, maker) => createWork(layout, draft, maker)) as WorkStore['create'],
    read: ((address) => readWork(layout, address)) as WorkStore['read'],
    update: (address, change) => updateWork(layout, address, change),
    remove: (address, children) => deleteWork(layout, address, children),
    children: (address) => childrenOf(layout, address),

    addresses: (filter = {}) => listAddresses(layout, filter),
    list: (filter) => listWorks(layout, filter),
    find: (workId) => findWork(layout, workId),
    watch: () => createWorkWatch(layout),

    lease: (address) => takeWorkLock(layout, address),
    isLeased: (address) => isWorkLocked(layout, address),
    requestStop: (address) => requestStop(layout.work(address).stop),
    async watchStop(address, onStop) {
      const { stop } = layout.work(address);
      await clearStop(stop);
      return watchForStop(stop, onStop);
    },
    async tidy(address) {
      const { folder, state } = layout.work(address);
      await sweepTempFiles(folder, { isDeep: false });
      await sweepTempFiles(state);
    },
    async sweep() {
      for (const projectId of await listProjectIds(layout))
        for (const folder of layout.worksFolders(projectId)) await sweepStagedFolders(folder);
    },

    openLog(address, options) {
      const { log: file, outputs } = layout.work(address);
      return openRunLog({ file, outputs, runId: address.workId, ...options });
    },
    readLog(address, onEvent) {
      const { log, outputs } = layout.work(address);
      return readRunLog(log, onEvent, { outputs });
    },
    async logMark(address) {
      const found = await ifPresent(stat(layout.work(address).log));
      return found && `${found.size} bytes, ${found.mtimeMs}`;
    },
    tailLog(address) {
      const { log, outputs } = layout.work(address);
      return createLogTail(log, { outputs });
    },
    pageLog(address) {
      const { log, outputs } = layout.work(address);
      return createLogPages(log, { outputs });
    },

    stateFolder: (address) => Promise.resolve(layout.work(address).state),
    viewsFolder: (address) => layout.work(address).views,
    openState: (address) => openStateText(layout.work(address).state),
    openJournal: (address, options) => openJournal({ folder: layout.work(address).journal, ...options }),
    readImages: (address, query) => readFileImages(layout.work(address).journal, query),
    readJournal: (address) => readJournalCopy(layout.work(address).journal),
    adopt: (copy, options) => adoptWork(layout, copy, options),
  };
}
