/**
 * What a child of ours may know of us: nothing but what it is said to need, no key above all. Windows programs need to know
 * where Windows is.
 */
export function bareEnvironment(needed: readonly string[] = []): NodeJS.ProcessEnv {
  const names = ['SystemRoot', ...needed];
  return Object.fromEntries(
    names.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined),
  );
}
