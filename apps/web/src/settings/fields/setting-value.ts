/**
 * One field of the settings by its path (`tools.fs.enabled`): its value, its default, and whether it was set explicitly. Pure.
 */
export interface SettingSource {
  readonly settings: object;
  readonly decided: object;
  readonly defaults: object;
}

export interface SettingValue {
  readonly value: unknown;
  readonly usual: unknown;
  readonly isDecided: boolean;
}

export function settingAt({ settings, decided, defaults }: SettingSource, path: string): SettingValue {
  return {
    value: valueAt(settings, path),
    usual: valueAt(defaults, path),
    isDecided: valueAt(decided, path) !== undefined,
  };
}

/** A patch for this field alone; null removes it, so that the default applies. */
export function toChange(path: string, value: unknown): Record<string, unknown> {
  const names = path.split('.');
  return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>;
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (outer, name) =>
        typeof outer === 'object' && outer !== null && Object.hasOwn(outer, name)
          ? (outer as Record<string, unknown>)[name]
          : undefined,
      value,
    );
}
