/**
 * A text file that is replaced only while it has the content that its writer has read. Content is compared by hash; the
 * identity of the file only saves reading it again.
 */
import { sha256Of } from '../base/sha256.ts';
import { stagingName } from '../base/staging.ts';
import { ChangedMeanwhile, type FileIdentity, isSameIdentity } from './file-identity.ts';
import type { MountPath } from './mount-path.ts';
import type { MountedFs } from './mounted-fs.ts';

export interface TextVersion {
  readonly text: string;
  /** Of the bytes. */
  readonly sha256: string;
}

export interface VersionedText {
  read(): Promise<TextVersion>;
  /** Atomic and durable. Throws ChangedMeanwhile if the hash of the current content is not `ifSha256`. */
  replace(text: string, ifSha256: string): Promise<TextVersion>;
}

/** Number of attempts while another program rewrites the file without changing its content. */
const MAX_ATTEMPTS = 5;

export function openVersionedText(files: MountedFs, path: MountPath): VersionedText {
  let latest: ReadFile | undefined;

  const read = async (): Promise<ReadFile> => {
    const now = latest && files.identityOf(path);
    if (latest && now && isSameIdentity(latest.identity, now)) return latest;
    latest = await files.withFile(path, async ({ handle, identity }) => {
      if (latest && isSameIdentity(latest.identity, identity)) return latest;
      const bytes = await handle.readFile();
      return { version: { text: bytes.toString('utf8'), sha256: sha256Of(bytes) }, identity };
    });
    return latest;
  };

  return {
    read: async () => (await read()).version,
    async replace(text, ifSha256) {
      const content = Buffer.from(text);
      let base = latest?.version.sha256 === ifSha256 ? latest : await read();
      for (let attempt = 1; ; attempt++) {
        if (base.version.sha256 !== ifSha256) throw new ChangedMeanwhile();
        try {
          // The identity of a file whose content was compared: a change since then rejects the write.
          const options = { expected: base.identity, tempName: stagingName('writing') };
          const identity = await files.replace(path, content, options);
          latest = { version: { text, sha256: sha256Of(content) }, identity };
          return latest.version;
        } catch (error) {
          if (!(error instanceof ChangedMeanwhile) || attempt === MAX_ATTEMPTS) throw error;
          base = await read();
        }
      }
    },
  };
}

interface ReadFile {
  readonly version: TextVersion;
  readonly identity: FileIdentity;
}
