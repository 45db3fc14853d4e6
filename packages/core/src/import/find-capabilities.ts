/**
 * Finds capabilities the source text relies on that a runtime may not have: a shell, the web, sub-agents, memory. Quotes a
 * fallback the text offers nearby. Pure.
 */
import { CAPABILITIES, type CapabilityRequest, type Evidence } from '@crewagent/protocol/import-report';
import { toPosition } from './source/import-notes.ts';

const PATTERNS: Readonly<Record<(typeof CAPABILITIES)[number], RegExp>> = {
  shell:
    /\b(?:run|execute|using)\b[^`\n]{0,60}`(?:git|npm|npx|uv|python3?|bash|sh|node|pip|curl|make) [^`]{1,200}`|`(?:git|npx|uv run|python3?) [^`]{1,200}`|\bshell command/i,
  web: /\bweb[- ]?(?:search|research|fetch)\b|\bsearch(?:es|ing)? the (?:web|internet)\b|\bbrowse the web\b|\bWebSearch\b/i,
  'sub-agents': /\bsub-?agents?\b|\bsub-?process(?:es)?\b|\bTask tool\b|\bin parallel agents\b/i,
  memory: /\b_memory\/|\bsidecar\b|\bmemlog\b|\bagent memory\b/i,
};

const FALLBACK =
  /\b(?:if|when|where)\b[^.\n]{0,80}\b(?:not (?:available|possible|supported)|unavailable|fails?|cannot)\b|\bfallback\b|\bon failure\b|\bif no [\w-]+ (?:tool )?(?:is )?available\b|\bwhen available\b|\bif available\b/i;

const MAX_EXAMPLES = 5;

export function findCapabilities(files: readonly { file: string; text: string }[]): CapabilityRequest[] {
  const found = new Map<string, { count: number; places: Evidence[]; fallback?: Evidence }>();
  for (const { file, text } of files) {
    const lines = text.split('\n');
    lines.forEach((line, index) => {
      if (line.length > 4_000) return;
      for (const capability of CAPABILITIES) {
        if (!PATTERNS[capability].test(line)) continue;
        const entry = found.get(capability) ?? { count: 0, places: [] };
        found.set(capability, entry);
        entry.count++;
        const at = toPosition({ file, line: index + 1, text: line });
        if (entry.places.length < MAX_EXAMPLES) entry.places.push(at);
        const near = [index, index + 1, index + 2].find((at) =>
          FALLBACK.test((lines[at] ?? '').slice(0, 4_000)),
        );
        if (near !== undefined)
          entry.fallback ??= toPosition({ file, line: near + 1, text: lines[near] ?? '' });
      }
    });
  }
  return CAPABILITIES.flatMap((capability) => {
    const entry = found.get(capability);
    return entry ? [{ capability, ...entry }] : [];
  });
}
