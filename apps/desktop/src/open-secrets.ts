/** Opens the key store of the operating system for API keys; undefined if there is none, to use the file of the command line. */
import { openProtectedSecrets, type SecretStore } from '@crewagent/core';

/** The used part of Electron's `safeStorage`. */
export interface SafeStorage {
  isEncryptionAvailable(): boolean;
  /** On Linux only. */
  getSelectedStorageBackend?(): string;
  encryptString(text: string): Buffer;
  decryptString(bytes: Buffer): string;
}

export async function openSecrets(storeRoot: string, safe: SafeStorage): Promise<SecretStore | undefined> {
  // Without a keyring, encryption on Linux uses a hard-coded password; a private file is as safe.
  if (!safe.isEncryptionAvailable() || safe.getSelectedStorageBackend?.() === 'basic_text') return undefined;
  return openProtectedSecrets(storeRoot, {
    encrypt: (text) => safe.encryptString(text),
    decrypt: (bytes) => safe.decryptString(Buffer.from(bytes)),
  });
}
