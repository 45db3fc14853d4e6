import type { LineFinder } from './line-finder.ts';
export declare function createDefaultFinder(): LineFinder;
