/**
 * Limits the work of one package in the full YAML parser. Plain frontmatter is cheap and not counted; other YAML can be slow on
 * purpose, so its length is limited per file and per package, and so is the time.
 */
import type { FullParse } from '../../workflow/split-frontmatter.ts';

const FILE_CHARS = 16 * 1024;
const PACKAGE_CHARS = 256 * 1024;
/** More than twice the time for a package that uses all characters, unless its YAML is broken in thousands of places. */
const PACKAGE_CPU_MS = 2_000;

/** `cpuMs`: processor time of this process, so that a busy machine does not reject a package that an idle one accepts. */
export function createYamlBudget(cpuMs: () => number = processCpuMs): FullParse {
  let chars = PACKAGE_CHARS;
  let ms = PACKAGE_CPU_MS;
  return (length, parse) => {
    chars -= length;
    if (length > FILE_CHARS || chars < 0) return 'too-long';
    if (ms <= 0) return 'too-slow';
    const start = cpuMs();
    const parsed = parse();
    ms -= cpuMs() - start;
    return parsed;
  };
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
