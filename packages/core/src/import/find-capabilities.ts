/**
 * Capabilities that the text of a source relies on and a runtime may not have: a shell, the web, other agents, memory. Quotes a
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

/** "Never search the web": the text does without it. */
const NEGATION = /\b(?:do not|don't|never|without|avoid|no)\b[^.;]{0,40}$/i;

const MAX_EXAMPLES = 5;

export function findCapabilities(files: readonly { file: string; text: string }[]): CapabilityRequest[] {
  const found = new Map<string, { count: number; places: Evidence[]; fallback?: Evidence }>();
  for (const { file, text } of files) {
    const lines = text.split('\n');
    lines.forEach((line, index) => {
      if (line.length > 4_000) return;
      for (const capability of CAPABILITIES) {
        const match = PATTERNS[capability].exec(line);
        if (!match || NEGATION.test(line.slice(Math.max(0, match.index - 60), match.index))) continue;
        const entry = found.get(capability) ?? { count: 0, places: [] };
        found.set(capability, entry);
        entry.count++;
        const at = toPosition({ file, line: index + 1, text: line });
        if (entry.places.length < MAX_EXAMPLES) entry.places.push(at);
        const near = lines.slice(index, index + 3).findIndex((text) => FALLBACK.test(text.slice(0, 4_000)));
        const nearby = index + near;
        if (near >= 0) entry.fallback ??= toPosition({ file, line: nearby + 1, text: lines[nearby] ?? '' });
      }
    });
  }
  return CAPABILITIES.flatMap((capability) => {
    const entry = found.get(capability);
    return entry ? [{ capability, ...entry }] : [];
  });
}
