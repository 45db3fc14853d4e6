/** Whether the browser shows a notification or plays a sound when a Work waits for the user. Stored in this browser. */
import * as z from '@crewagent/protocol/zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { mergePersisted } from './persisted.ts';

interface News {
  readonly wantsNews: boolean;
  readonly wantsSound: boolean;
}

export const useNews = create<News>()(
  persist((): News => ({ wantsNews: false, wantsSound: false }), {
    name: 'crewagent.news',
    merge: mergePersisted(z.object({ wantsNews: z.boolean(), wantsSound: z.boolean() })),
  }),
);

/** Two short tones; silent if the browser does not allow sound yet. */
export function playSound(): void {
  if (!('AudioContext' in globalThis)) return;
  const audio = new AudioContext();
  const volume = audio.createGain();
  volume.connect(audio.destination);
  volume.gain.setValueAtTime(0.08, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.5);
  for (const [index, hertz] of [660, 880].entries()) {
    const tone = audio.createOscillator();
    tone.frequency.value = hertz;
    tone.connect(volume);
    tone.start(audio.currentTime + index * 0.16);
    tone.stop(audio.currentTime + index * 0.16 + 0.2);
    if (index === 1) tone.onended = () => void audio.close();
  }
}
