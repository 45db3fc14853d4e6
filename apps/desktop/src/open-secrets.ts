/** The key store of the operating system for API keys, where there is one; else the file that the command line uses. */
import { openProtectedSecrets, type SecretStore, type StorePaths } from '@crewagent/core';

/** As Electron has it. */
export interface SafeStorage {
  isEncryptionAvailable(): boolean;
  /** On Linux only. */
  getSelectedStorageBackend?(): string;
  encryptString(text: string): Buffer;
  decryptString(bytes: Buffer): string;
}

export async function openSecrets(store: StorePaths, safe: SafeStorage): Promise<SecretStore | undefined> {
  // Without a keyring Linux "encrypts" with a password that everybody knows: a file for its owner alone is as good.
  if (!safe.isEncryptionAvailable() || safe.getSelectedStorageBackend?.() === 'basic_text') return undefined;
  return openProtectedSecrets(store, {
    encrypt: (text) => safe.encryptString(text),
    decrypt: (bytes) => safe.decryptString(Buffer.from(bytes)),
  });
}
