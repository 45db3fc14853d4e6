/**
 * Files that a program executes later without the user opening them. The user is shown what executes the file before it
 * is written. Matched by name and folder, case-insensitively.
 */
import type { RunsLater } from '@crewagent/protocol/tools';
import { foldName } from '../../base/file-names.ts';

interface Row {
  readonly runsLater: RunsLater;
  /** File names, in any folder. */
  readonly names?: RegExp;
  /** Folder paths at any depth, e.g. `.github/workflows`. */
  readonly folders?: readonly string[];
}

const TABLE: readonly Row[] = [
  {
    runsLater: 'hook',
    names: /^(?:\.pre-commit-config\.ya?ml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.gitmodules)$/,
    folders: ['.husky', '.githooks'],
  },
  {
    runsLater: 'editor',
    names: /^(?:.+\.code-workspace|\.(?:vim|nvim|ex|gvim)rc|\.dir-locals\.el)$/,
    folders: ['.vscode', '.idea', '.zed', '.devcontainer', '.fleet'],
  },
  {
    runsLater: 'assistant',
    names: /^(?:\.mcp\.json|\.cursorrules|\.aider\.conf\.yml)$/,
    folders: ['.cursor', '.claude', '.codex', '.gemini', '.windsurf', '.continue', '.roo', '.kiro'],
  },
  {
    runsLater: 'ci',
    names:
      /^(?:\.gitlab-ci\.ya?ml|\.travis\.ya?ml|\.drone\.ya?ml|appveyor\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|jenkinsfile|\.cirrus\.ya?ml)$/,
    folders: [
      '.github/workflows',
      '.github/actions',
      '.gitea/workflows',
      '.forgejo/workflows',
      '.circleci',
      '.buildkite',
    ],
  },
  {
    runsLater: 'shell',
    names:
      /^(?:\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|xprofile|xinitrc|xsession|direnvrc|inputrc)|.*profile\.ps1)$/,
    folders: ['.config/fish', '.config/autostart', '.config/systemd'],
  },
  {
    runsLater: 'build',
    names:
      /^(?:(?:gnu)?makefile(?:\..+)?|.+\.mk|cmakelists\.txt|.+\.cmake|justfile|\.justfile|taskfile\.ya?ml|rakefile|gemfile|dockerfile(?:\..+)?|.+\.dockerfile|(?:docker-)?compose(?:\..+)?\.ya?ml|vagrantfile|procfile|setup\.(?:py|cfg)|conftest\.py|noxfile\.py|tox\.ini|build\.rs|.+\.gradle(?:\.kts)?|gradlew(?:\.bat)?|mvnw(?:\.cmd)?|gulpfile\..+|gruntfile\..+|.+\.config\.[cm]?[jt]sx?|\.pnpmfile\.[cm]?js|sitecustomize\.py|usercustomize\.py|.+\.pth)$/,
    folders: ['.cargo', '.mvn', '.yarn'],
  },
  { runsLater: 'scripts', names: /^(?:package|composer|deno|bunfig)\.(?:jsonc?|toml)$/ },
  {
    runsLater: 'lockfile',
    names:
      /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|gemfile\.lock|poetry\.lock|pipfile\.lock|uv\.lock|cargo\.lock|composer\.lock|go\.sum)$/,
  },
];

const EXECUTABLE = 0o111;

/** What would execute a project file. `mode`: mode of the existing file. */
export function findRunner(segments: readonly string[], mode: number | undefined): RunsLater | undefined {
  const folded = segments.map(foldName);
  const name = folded.at(-1) ?? '';
  const folders = `/${folded.slice(0, -1).join('/')}/`;
  const row = TABLE.find(
    ({ names, folders: wanted = [] }) =>
      names?.test(name) || wanted.some((folder) => folders.includes(`/${folder}/`)),
  );
  if (row) return row.runsLater;
  return mode !== undefined && (mode & EXECUTABLE) !== 0 ? 'executable' : undefined;
}

/** Whether a path is inside `.git`. Git settings and hooks run with the next git command, so no model writes there. */
export function isGitFolder(segments: readonly string[]): boolean {
  return segments.map(foldName).includes('.git');
}
