/** Something needs a folder to work in: the start opens its dialog for one. */
import { create } from 'zustand';

export const useWantedFolder = create<{ readonly isWanted: boolean }>(() => ({ isWanted: false }));
