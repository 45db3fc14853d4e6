/** All texts of the page, room by room. Sentences for people who do not program: short, plain, what to do next. */
import { contextTexts } from './texts/context.ts';
import { conversationTexts } from './texts/conversation.ts';
import { faultsTexts } from './texts/faults.ts';
import { filesTexts } from './texts/files.ts';
import { findingsTexts } from './texts/findings.ts';
import { inspectorTexts } from './texts/inspector.ts';
import { modelsTexts } from './texts/models.ts';
import { packagesTexts } from './texts/packages.ts';
import { runTexts } from './texts/run.ts';
import { settingsTexts } from './texts/settings.ts';
import { shellTexts } from './texts/shell.ts';
import { startTexts } from './texts/start.ts';
import { stateTexts } from './texts/state.ts';
import { toolsTexts } from './texts/tools.ts';
import { worksTexts } from './texts/works.ts';

export const en = {
  ...shellTexts.en,
  ...faultsTexts.en,
  ...startTexts.en,
  ...worksTexts.en,
  ...conversationTexts.en,
  ...stateTexts.en,
  ...contextTexts.en,
  ...runTexts.en,
  ...toolsTexts.en,
  ...inspectorTexts.en,
  ...filesTexts.en,
  ...packagesTexts.en,
  ...findingsTexts.en,
  ...settingsTexts.en,
  ...modelsTexts.en,
} as const;

export const zhCn = {
  ...shellTexts.zhCn,
  ...faultsTexts.zhCn,
  ...startTexts.zhCn,
  ...worksTexts.zhCn,
  ...conversationTexts.zhCn,
  ...stateTexts.zhCn,
  ...contextTexts.zhCn,
  ...runTexts.zhCn,
  ...toolsTexts.zhCn,
  ...inspectorTexts.zhCn,
  ...filesTexts.zhCn,
  ...packagesTexts.zhCn,
  ...findingsTexts.zhCn,
  ...settingsTexts.zhCn,
  ...modelsTexts.zhCn,
} as const;
