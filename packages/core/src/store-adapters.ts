/** What an adapter of the store outside of core needs: its ports, and the functions that every adapter shares. */
export { foldName, segmentDanger } from './base/file-names.ts';
export { createQueue } from './base/queue.ts';
export { removeTree } from './base/remove-tree.ts';
export { sha256Of } from './base/sha256.ts';
export { createUuidV7 } from './base/uuid-v7.ts';
export { ChangedMeanwhile } from './mounts/file-identity.ts';
export type { PackageSeal } from './mounts/package-seal.ts';
export type { TextVersion, VersionedText } from './mounts/versioned-text.ts';
export { type DiskStore, openDiskStore } from './store/disk/open-store.ts';
export type * from './store/file-changes.ts';
export type { FileImages, ImageContent, ImageQuery, Journal, JournalOptions } from './store/journal.ts';
export type { PackageStore, PackageUsers, StoredPackage } from './store/package-store.ts';
export { type ProjectStore, withApproval } from './store/project-store.ts';
export { createSecretStore, type SecretStore, type StoredSecrets } from './store/secret-store.ts';
export { createSettingsStore, type SettingsStore } from './store/settings-store.ts';
export type * from './store/store.ts';
export { parseJson, parseStored, type StoredDocument } from './store/stored-document.ts';
export { type RunAddress, runBeside, toAddress, type WorkAddress } from './store/work-address.ts';
export { openStoredJournal } from './store/work-files/journal.ts';
export { openStateText, readStoredImages } from './store/work-files/journal-images.ts';
export type { ImageStore, JournalLog, JournalStorage } from './store/work-files/journal-log.ts';
export {
  checkWork,
  fromStored,
  nounOf,
  schemaOf,
  toNewWork,
  toStored,
  workNotFound,
} from './store/work-records.ts';
export type * from './store/work-store.ts';
