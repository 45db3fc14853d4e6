/** The store of a user on disk, without Works: commands that need none load no code of runs. */
import { CrewError } from '../../base/crew-error.ts';
import { createPolicySource } from '../../policy/policy-source.ts';
import { createProjectStore } from '../project-store.ts';
import { createSecretStore, type StoredSecrets } from '../secret-store.ts';
import { createSettingsStore } from '../settings-store.ts';
import type { UserStore } from '../store.ts';
import { createDiskDocument, createPrivateDocument } from './disk-document.ts';
import { createDiskLines } from './disk-lines.ts';
import { createStoreLayout, type StorePaths } from './layout.ts';
import { createLearnedRules } from './learned-rules.ts';
import { lockFile } from './locks/file-lock.ts';
import type { TurnOptions } from './locks/file-turns.ts';
import { createDiskPackages } from './packages/disk-packages.ts';

/**
 * `onWait`: receives a sentence if another process makes this one wait for a document. `env`: says where a policy is.
 */
export function openUserStore(root: string, onWait?: OnWait, env?: Environment): UserStore {
  return toUserStore(createStoreLayout(root), onWait, env);
}

type Environment = Parameters<typeof createPolicySource>[0];

export type OnWait = TurnOptions['onWait'];

export function toUserStore(paths: StorePaths, onWait: OnWait, env: Environment | undefined): UserStore {
  const { root, localModels } = paths;
  return {
    root,
    settings: createSettingsStore(createDiskDocument(paths.settingsFile, { onWait })),
    policy: createPolicySource(env),
    projects: createProjectStore(createDiskDocument(paths.projectList, { onWait }), root),
    secrets: openDiskSecrets(paths, onWait),
    packages: createDiskPackages(paths),
    signingKeys: createPrivateDocument(paths.signingKeysFile, 'Could not read the signing keys', onWait),
    tallies: createDiskDocument(paths.talliesFile),
    fileUses: createDiskDocument(paths.fileUsesFile),
    searchTexts: createDiskLines(paths.searchFile),
    learnedRules: (now) => createLearnedRules(paths, now),
    async fileChanges(projectId) {
      const { createFileChanges } = await import('./changes/file-changes.ts');
      return createFileChanges(paths.fileJournal(projectId));
    },
    localModels,
  };
}

export function openDiskSecrets(
  { secretsFile, loginLock }: Pick<StorePaths, 'secretsFile' | 'loginLock'>,
  onWait?: OnWait,
): StoredSecrets {
  const document = createPrivateDocument(secretsFile, 'Could not read the API keys', onWait);
  return createSecretStore(document, (work) => withLoginLock(loginLock, work));
}

const RENEWAL_WAIT_MS = 30_000;

async function withLoginLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const attempt = await lockFile(file, { waitMs: RENEWAL_WAIT_MS });
  if (!attempt.isAccepted) throw new CrewError('DISK', 'Another process is renewing a login; try again.');
  try {
    return await work();
  } finally {
    await attempt.lock.release();
  }
}
