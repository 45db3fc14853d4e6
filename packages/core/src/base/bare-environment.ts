/**
 * Minimal environment for child processes: only the named variables, so no API key leaks. Windows programs also need
 * the path of Windows.
 */
export function bareEnvironment(needed: readonly string[] = []): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const name of ['SystemRoot', ...needed]) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
