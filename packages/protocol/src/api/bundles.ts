/**
 * Runs in one file over HTTP: a file is verified in a private folder and shown; nothing of it is stored until a person continues it.
 */
import { evidenceSchema } from '../evidence-schema.ts';
import { signerSchema } from '../package-signature.ts';
import { runPhaseSchema } from '../run.ts';
import { countSchema, sha256Schema } from '../scalars.ts';
import { approvalPresetSchema } from '../tools.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { pathSchema, storeIdSchema } from './ids.ts';
import { modelSchema } from './run-options.ts';

/** What a file holds, all of it verified. */
export const shownBundleSchema = z.strictObject({
  bytes: countSchema,
  isEncrypted: z.boolean(),
  /** Of the file before it was encrypted: what the signature is for. */
  sha256: sha256Schema,
  /** Version of crewagent that wrote it. */
  runtime: z.string(),
  signer: signerSchema,
  /** Other things that the same key signed, by name. */
  alsoSigned: z.array(z.string()),
  work: z.strictObject({
    workId: z.string(),
    isRun: z.boolean(),
    title: z.string(),
    phase: runPhaseSchema,
    createdAt: z.string(),
    updatedAt: z.string(),
    model: z.string(),
    events: countSchema,
  }),
  packages: z.array(
    z.strictObject({
      hash: sha256Schema,
      name: z.string(),
      version: z.string(),
      isInside: z.boolean(),
      isInstalled: z.boolean(),
      signer: signerSchema,
    }),
  ),
  /** The run with those that it called, or those of a conversation, in order of creation. */
  runs: z.array(
    z.strictObject({
      workId: z.string(),
      title: z.string(),
      phase: runPhaseSchema,
      evidence: evidenceSchema,
    }),
  ),
  changed: z.array(z.strictObject({ path: z.string(), bytes: countSchema })),
  deleted: z.array(z.string()),
  /** Files that the run did not change, for a project that lacks them. */
  others: countSchema,
  /** Requests to models, rebuilt from the log and compared with the hash of what was sent. */
  requests: z.strictObject({
    proved: countSchema,
    unproved: z.array(z.strictObject({ workId: z.string(), turn: countSchema })),
    /** Of logs without hashes, and of packages that are neither inside nor installed. */
    unknown: countSchema,
  }),
});
export type ShownBundle = z.infer<typeof shownBundleSchema>;

/** What continuing a run of a file would change here. */
export const bundlePlanSchema = z.strictObject({
  /** `new`: this store does not have the run. Otherwise the copy in the file, compared with the one here. */
  relation: z.enum(['new', 'newer', 'same', 'older', 'diverged']),
  /** Name of the project it goes to. */
  project: z.string(),
  created: z.array(z.string()),
  overwritten: z.array(z.string()),
  removed: z.array(z.string()),
  /** Were changed here and stay as they are. */
  conflicts: z.array(z.string()),
  /** Approvals for later calls, which end. */
  approvalsEnded: countSchema,
  model: z.strictObject({ from: z.string(), to: z.string(), hasKey: z.boolean() }),
  approval: z.strictObject({ from: approvalPresetSchema, to: approvalPresetSchema }),
  /** Folder of the project in which the run writes without asking. */
  artifactsDir: z.string(),
  /** Why it cannot be continued here. */
  refusal: z.optional(z.string()),
});
export type BundlePlan = z.infer<typeof bundlePlanSchema>;

const stagedBundleSchema = z.strictObject({
  bundleId: storeIdSchema,
  name: z.string(),
  /** Undefined for one that is encrypted, until its passphrase is given. */
  shown: z.optional(shownBundleSchema),
});
export type StagedBundle = z.infer<typeof stagedBundleSchema>;

const passphraseSchema = z.string().check(z.minLength(1), z.maxLength(1_000));

/** Of an upload: a run with large files. */
const MAX_UPLOAD_BYTES = 512 * 1024 * 1024;

export const bundles = {
  export: defineEndpoint(
    'POST /works/:workId/bundle',
    'Exports the run as one file, with what proves and continues it.',
    {
      body: z.strictObject({
        passphrase: z.optional(passphraseSchema),
        /** Name of the key that signs it; without one it is not signed. */
        key: z.optional(z.string()),
        withoutPackages: z.optional(z.boolean()),
      }),
      returnsFile: true,
    },
  ),
  keys: defineEndpoint('GET /bundle-keys', 'Lists the keys that this person can sign a run with.', {
    response: z.strictObject({
      keys: z.array(z.strictObject({ name: z.string(), fingerprint: z.string() })),
    }),
  }),
  upload: defineEndpoint(
    'POST /bundles/upload',
    'Verifies an uploaded run in one file; stores nothing of it.',
    {
      query: z.strictObject({ name: z.string().check(z.minLength(1), z.maxLength(255)) }),
      acceptsBytes: true,
      maxBytes: MAX_UPLOAD_BYTES,
      response: stagedBundleSchema,
      status: 201,
    },
  ),
  openPath: defineEndpoint(
    'POST /bundles',
    'Verifies a run in one file of this machine; stores nothing of it.',
    {
      body: z.strictObject({ path: pathSchema }),
      response: stagedBundleSchema,
      status: 201,
    },
  ),
  unlock: defineEndpoint('POST /bundles/:bundleId/unlock', 'Decrypts and verifies a run in one file.', {
    body: z.strictObject({ passphrase: passphraseSchema }),
    response: stagedBundleSchema,
  }),
  plan: defineEndpoint(
    'POST /bundles/:bundleId/plan',
    'Shows what continuing the run in a project would change.',
    {
      body: z.strictObject({ projectId: storeIdSchema, model: z.optional(modelSchema) }),
      response: bundlePlanSchema,
    },
  ),
  adopt: defineEndpoint(
    'POST /bundles/:bundleId/adopt',
    'Stores the run in a project, so that it can be continued.',
    {
      body: z.strictObject({
        projectId: storeIdSchema,
        /** Files that were changed here stay as they are. */
        keepFiles: z.optional(z.boolean()),
        /** Also if the file, or a package in it, is signed by another key than before. */
        acceptsSigner: z.optional(z.boolean()),
        /** Also if requests of the file are not as its log says that they were sent. */
        acceptsUnproved: z.optional(z.boolean()),
        /** A model here, or "rehearsal"; default: what the settings here have for the run's. */
        model: z.optional(modelSchema),
      }),
      response: z.strictObject({
        workId: z.string(),
        written: z.array(z.string()),
        kept: z.array(z.string()),
      }),
    },
  ),
  discard: defineEndpoint('DELETE /bundles/:bundleId', 'Discards a run in one file that was opened.'),
};
