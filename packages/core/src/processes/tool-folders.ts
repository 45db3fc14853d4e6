/**
 * Folders below the home folder in which people install compilers, interpreters and their versions. A sandbox may read these and
 * nothing else of the home folder. None of them holds credentials.
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
