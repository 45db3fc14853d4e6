/** The contents of a team as its environment configures them: with an object store for large ones, and a cache on this machine. */
import { CrewError } from '@crewagent/core';
import type { Database } from '../database/database.ts';
import { cacheBlobs } from './blob-cache.ts';
import { type Blobs, createPostgresBlobs } from './blobs.ts';
import { collectGarbage } from './collect-garbage.ts';
import { createS3Objects, type S3Settings } from './s3-objects.ts';

export interface TeamBlobs {
  readonly blobs: Blobs;
  /** Deletes what nothing names: once a day, by one of the processes that call it. */
  sweep(): Promise<void>;
}

export interface TeamBlobOptions {
  readonly database: Database;
  /** Folder that the processes of this machine share. */
  readonly cache: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function openBlobs({ database, cache, env }: TeamBlobOptions): TeamBlobs {
  const settings = readS3Settings(env);
  const objects = settings && createS3Objects(settings);
  return {
    blobs: cacheBlobs(createPostgresBlobs(database, { objects }), { folder: cache }),
    async sweep() {
      if (await isDue(database)) await collectGarbage(database, { objects });
    },
  };
}

/** Undefined if there is no object store. */
export function readS3Settings(env: TeamBlobOptions['env']): S3Settings | undefined {
  const endpoint = env.CREWAGENT_S3_ENDPOINT;
  if (!endpoint) return undefined;
  const needed = (name: string): string => {
    const value = env[name];
    if (value) return value;
    throw new CrewError('USAGE', `Set ${name}: large files are stored at CREWAGENT_S3_ENDPOINT.`);
  };
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    throw new CrewError(
      'USAGE',
      'CREWAGENT_S3_ENDPOINT is the address of the store, such as https://s3.example.com.',
    );
  return {
    endpoint,
    bucket: needed('CREWAGENT_S3_BUCKET'),
    region: env.CREWAGENT_S3_REGION ?? 'us-east-1',
    accessKeyId: needed('CREWAGENT_S3_ACCESS_KEY_ID'),
    secretAccessKey: needed('CREWAGENT_S3_SECRET_ACCESS_KEY'),
    sessionToken: env.CREWAGENT_S3_SESSION_TOKEN,
  };
}

/** True for one process a day. */
async function isDue(database: Database): Promise<boolean> {
  const rows = await database.write(
    `insert into documents (name, value) values ('garbage-collected', to_json(now())::text)
     on conflict (name) do update set value = excluded.value
     where (documents.value::json #>> '{}')::timestamptz < now() - interval '23 hours'
     returning 1`,
  );
  return rows.length > 0;
}
