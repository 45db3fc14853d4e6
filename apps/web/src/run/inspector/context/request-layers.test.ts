import { describe, expect, it } from 'vitest';
import { toLayers } from './request-layers.tsx';

describe('the layers of a request', () => {
  it('[U70] are in the order they are sent, with shares that add up to 1', () => {
    const layers = toLayers({
      tokens: 40,
      parts: [
        { layer: 'messages', role: 'assistant', text: 'a', tokens: 10 },
        { layer: 'rules', role: 'system', text: 'b', tokens: 20 },
        { layer: 'messages', role: 'tool', text: 'c', tokens: 10 },
      ],
    });
    expect(layers.map(({ layer, tokens, share }) => [layer, tokens, share])).toEqual([
      ['rules', 20, 0.5],
      ['messages', 20, 0.5],
    ]);
    expect(toLayers({ tokens: 0, parts: [{ layer: 'input', text: '', tokens: 0 }] })).toMatchObject([
      { share: 0 },
    ]);
  });
});
