/**
 * Models that are known to fit, one per memory size. All have licences that allow any use. Without addresses of files: a file is
 * only downloaded with a checksum, and we have seen none of theirs. A person finds the files where they are published.
 */

import { totalmem } from 'node:os';
import type { BuiltinModels } from '@crewagent/protocol/api/settings';

type RecommendedModel = Omit<BuiltinModels['recommended'][number], 'isBest'>;

const GB = 1_000_000_000;

const findOn = (name: string): string =>
  `https://huggingface.co/models?search=${encodeURIComponent(`Qwen/${name}`)}`;

export const RECOMMENDED_MODELS: readonly RecommendedModel[] = [
  {
    name: 'qwen3-1.7b',
    title: 'Qwen3 1.7B (Q8_0)',
    page: findOn('Qwen3-1.7B-GGUF'),
    licence: 'Apache-2.0',
    bytes: 1.8 * GB,
    memoryGiB: 6,
  },
  {
    name: 'qwen3-4b',
    title: 'Qwen3 4B (Q4_K_M)',
    page: findOn('Qwen3-4B-GGUF'),
    licence: 'Apache-2.0',
    bytes: 2.5 * GB,
    memoryGiB: 12,
  },
  {
    name: 'qwen3-8b',
    title: 'Qwen3 8B (Q4_K_M)',
    page: findOn('Qwen3-8B-GGUF'),
    licence: 'Apache-2.0',
    bytes: 5 * GB,
    memoryGiB: 16,
  },
];

const GIB = 1024 ** 3;

/** The largest model that fits into memory, or the smallest one. */
export function recommendModel(memoryBytes = totalmem()): RecommendedModel {
  const fitting = RECOMMENDED_MODELS.filter(({ memoryGiB }) => memoryGiB * GIB <= memoryBytes * 1.05);
  return fitting.at(-1) ?? (RECOMMENDED_MODELS[0] as RecommendedModel);
}

/** Context size that fits beside the weights; bounded, because a larger context makes every request slower. */
export function contextFor(modelBytes: number, memoryBytes = totalmem()): number {
  const free = memoryBytes * 0.6 - modelBytes;
  return Math.max(8_192, Math.min(32_768, Math.floor(free / 150_000 / 1_024) * 1_024));
}
