/**
 * The settings of a user. The file contains only values that were set; defaults are added when it is read.
 */
import { type Settings, settingsSchema } from '@crewagent/protocol/settings';
import { CrewError } from '../../base/crew-error.ts';
import type { StorePaths } from './layout.ts';
import { changeStoreFile, firstIssue, readStoreFile, writeStoreFile } from './store-file.ts';

/** Throws SETTINGS_INVALID with the name of the invalid field. */
export async function loadSettings(store: StorePaths): Promise<Settings> {
  return parseSettings(await readSettings(store), store.settings);
}

export interface SettingsOrigin {
  readonly settings: Settings;
  /** The values that were set; all others are defaults. */
  readonly decided: Readonly<Record<string, unknown>>;
}

/** Like `loadSettings`, with the content of the file. */
export async function loadSettingsOrigin(store: StorePaths): Promise<SettingsOrigin> {
  const { schemaVersion, ...decided } = await readSettings(store);
  return { settings: parseSettings({ schemaVersion, ...decided }, store.settings), decided };
}

/** A partial update: objects are merged, null removes a field, undefined leaves it unchanged. */
export type SettingsChange = ChangeOf<Settings>;

type ChangeOf<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: ChangeOf<T[Key]> | null | undefined }
    : T;

/** Writes nothing if the result would be invalid. Can also replace an invalid field. */
export async function updateSettings(store: StorePaths, change: SettingsChange): Promise<Settings> {
  return changeStoreFile(store.settings, async () => {
    const merged = merge({ schemaVersion: 1, ...(await readSettings(store)) }, change);
    const settings = parseSettings(merged, store.settings);
    await writeStoreFile(store.settings, merged);
    return settings;
  });
}

type Fields = Readonly<Record<string, unknown>>;

async function readSettings(store: StorePaths): Promise<Fields> {
  let value: unknown;
  try {
    value = (await readStoreFile(store.settings)) ?? {};
  } catch (error) {
    if (!(error instanceof CrewError) || error.code !== 'STORE_DAMAGED') throw error;
    throw invalidSettings(store.settings, 'the file is not JSON');
  }
  if (!isFields(value)) throw invalidSettings(store.settings, 'the file is not a JSON object');
  return value;
}

function parseSettings(value: unknown, file: string): Settings {
  const parsed = settingsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidSettings(file, firstIssue(parsed.error), issue?.path.map(String).join('.'));
}

function invalidSettings(file: string, issue: string, field?: string): CrewError {
  return new CrewError('SETTINGS_INVALID', `The settings in "${file}" are invalid: ${issue}.`, {
    details: field ? { field } : {},
  });
}

function merge(target: Fields, change: Fields): Fields {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) continue;
    const before = merged.get(key);
    if (value === null) merged.delete(key);
    else merged.set(key, isFields(value) ? merge(isFields(before) ? before : {}, value) : value);
  }
  // Unlike assignment, this treats "__proto__" as an ordinary key.
  return Object.fromEntries(merged);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
