import { type Tool } from './tool.ts';
export declare function createAskUser(): Tool;
