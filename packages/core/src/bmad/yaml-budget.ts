/**
 * How much work one package may cause in the full YAML parser. Plain frontmatter costs next to nothing and is not counted;
 * other YAML can be slow on purpose, so its length is bounded in each file and in all of them together, and so is the time.
 */
import type { FullParse } from '../workflow/split-frontmatter.ts';

const FILE_CHARS = 16 * 1024;
const PACKAGE_CHARS = 256 * 1024;
/** More than twice what a package takes that uses up all characters, unless its YAML is broken in thousands of places. */
const PACKAGE_CPU_MS = 2_000;

/** `cpuMs` is the processor time of this process: a busy machine must not refuse a package that an idle one accepts. */
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
