/** The settings of a user. The document contains only values that were set; defaults are added when it is read. */
import { isObject } from '@crewagent/protocol/json-object';
import { type Settings, settingsSchema } from '@crewagent/protocol/settings';
import { CrewError } from '../base/crew-error.ts';
import { firstIssue, parseOnce, type StoredDocument } from './stored-document.ts';

export interface SettingsStore {
  /** Where the settings are, for people who want to edit them. */
  readonly label: string;
  /** Throws SETTINGS_INVALID with the name of the invalid field. */
  load(): Promise<Settings>;
  /** Like `load`, with the values that were set. */
  loadOrigin(): Promise<SettingsOrigin>;
  /** Writes nothing if the result would be invalid. Can also replace an invalid field. */
  update(change: SettingsChange): Promise<Settings>;
}

export interface SettingsOrigin {
  readonly settings: Settings;
  /** The values that were set; all others are defaults. */
  readonly decided: Readonly<Record<string, unknown>>;
}

/** A partial update: objects are merged, null removes a field, undefined leaves it unchanged. */
export type SettingsChange = ChangeOf<Settings>;

type ChangeOf<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: ChangeOf<T[Key]> | null | undefined }
    : T;

export function createSettingsStore(document: StoredDocument): SettingsStore {
  const { label } = document;
  const parse = parseOnce((fields) => parseSettings(fields, label));
  return {
    label,
    load: async () => parse(await readFields(document)),
    async loadOrigin() {
      const { schemaVersion, ...decided } = await readFields(document);
      return { settings: parseSettings({ schemaVersion, ...decided }, label), decided };
    },
    update: (change) =>
      document.change(async (write) => {
        const merged = merge({ schemaVersion: 1, ...(await readFields(document)) }, change);
        const settings = parseSettings(merged, label);
        await write(merged);
        return settings;
      }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Fields = {};

async function readFields(document: StoredDocument): Promise<Fields> {
  let value: unknown;
  try {
    value = (await document.read()) ?? NOTHING;
  } catch (error) {
    if (!(error instanceof CrewError) || error.code !== 'STORE_DAMAGED') throw error;
    throw invalidSettings(document.label, 'the file is not JSON');
  }
  if (!isObject(value)) throw invalidSettings(document.label, 'the file is not a JSON object');
  return value;
}

function parseSettings(value: unknown, label: string): Settings {
  const parsed = settingsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidSettings(label, firstIssue(parsed.error), issue?.path.map(String).join('.'));
}

function invalidSettings(label: string, issue: string, field?: string): CrewError {
  return new CrewError('SETTINGS_INVALID', `The settings in "${label}" are invalid: ${issue}.`, {
    details: field ? { field } : {},
  });
}

function merge(target: Fields, change: Fields): Fields {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) continue;
    const before = merged.get(key);
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? merge(isObject(before) ? before : {}, value) : value);
  }
  // Unlike assignment, this treats "__proto__" as an ordinary key.
  return Object.fromEntries(merged);
}
