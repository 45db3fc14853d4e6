import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');

function tokensOf(theme: string): ReadonlyMap<string, string> {
  const block = new RegExp(`\\[data-theme="${theme}"\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? '';
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', hex = '']) => [name, hex]),
  );
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const PLACES = ['canvas', 'surface', 'raised', 'sunken', 'hover'];
const STATES = ['bad-soft', 'limit-soft', 'interrupted-soft'];
const TEXT_ON: readonly (readonly [ink: string, backgrounds: readonly string[]])[] = [
  ['ink', [...PLACES, 'pressed', 'person', 'accent-soft', 'ok-soft', 'warn-soft', ...STATES]],
  ['ink-soft', [...PLACES, 'warn-soft', ...STATES, 'person']],
  ['ink-faint', [...PLACES, 'warn-soft', ...STATES]],
  ['accent-text', [...PLACES, 'accent-soft', 'person']],
  ['accent-ink', ['accent', 'accent-hover', 'bad-fill']],
  ['ok', [...PLACES, 'ok-soft']],
  ['warn', [...PLACES, 'warn-soft']],
  ['bad', [...PLACES, 'bad-soft']],
  ['limit', [...PLACES, 'limit-soft']],
  ['interrupted', [...PLACES, 'interrupted-soft']],
];

describe.each(['light', 'dark'])('the colours of the %s theme', (theme) => {
  const tokens = tokensOf(theme);
  const pairs = TEXT_ON.flatMap(([ink, backgrounds]) =>
    backgrounds.map((background) => [ink, background] as const),
  );

  it.each(pairs)('[U20] %s is readable on %s', (ink, background) => {
    const [one, other] = [tokens.get(ink), tokens.get(background)];
    if (!one || !other) throw new Error(`${ink} or ${background} is no token.`);
    expect(contrast(one, other)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(['surface', 'canvas', 'raised'])('[U20] the edge of a control is visible on %s', (background) => {
    expect(contrast(tokens.get('control') ?? '', tokens.get(background) ?? '')).toBeGreaterThanOrEqual(3);
  });

  it.each(['part-model', 'part-tools', 'part-waiting'])('[U20] the bars of %s are visible', (part) => {
    for (const background of ['surface', 'canvas', 'sunken'])
      expect(contrast(tokens.get(part) ?? '', tokens.get(background) ?? '')).toBeGreaterThanOrEqual(3);
  });
});
