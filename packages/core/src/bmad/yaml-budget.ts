/**
 * How much YAML one package may give the full parser. Plain frontmatter costs next to nothing and is not counted; the
 * rest can be made slow on purpose, so it is bounded in each file and in all of them together.
 */
const FILE_CHARS = 16 * 1024;
const PACKAGE_CHARS = 256 * 1024;

export function createYamlBudget(): (chars: number) => boolean {
  let left = PACKAGE_CHARS;
  return (chars) => {
    left -= chars;
    return chars <= FILE_CHARS && left >= 0;
  };
}
