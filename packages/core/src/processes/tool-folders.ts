/** Folders outside the project that a sandbox may read. */

/**
 * Below the home folder: where people install compilers, interpreters and their versions. Nothing else of the home folder is
 * readable. None of them holds credentials.
 */
export const TOOL_FOLDERS: readonly string[] = [
  '.asdf',
  '.bun/bin',
  '.cargo/bin',
  '.deno/bin',
  '.dotnet',
  '.fnm',
  '.ghcup',
  '.local/bin',
  '.local/lib',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/uv/python',
  '.local/share/uv/tools',
  '.nodenv',
  '.nvm',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.sdkman',
  '.volta',
  'go/bin',
];

/** Programs, libraries and settings of the system. */
export const SYSTEM_FOLDERS: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix',
  '/gnu',
];
