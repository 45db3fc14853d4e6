/**
 * What a child of ours may know of us: nothing but what it is said to need, no key above all. Windows programs need to know
 * where Windows is.
 */
export function bareEnvironment(needed: readonly string[] = []): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const name of ['SystemRoot', ...needed]) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
