import { type LineFinder } from './line-finder.ts';
export declare function createRipgrepFinder(binary: string): LineFinder;
